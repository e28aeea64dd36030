package history

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"

	"github.com/proxaudit/proxaudit/audit/history"
)

// sourceSets keeps what runs have read, each set once.
type sourceSets struct {
	conn *sql.Conn
	ids  map[string]int64
}

// id is the row of a set; nil for none.
func (s *sourceSets) id(ctx context.Context, read []history.Source) (any, error) {
	if len(read) == 0 {
		return nil, nil //nolint:nilnil // NULL is a value of the column
	}
	text, err := json.Marshal(read)
	if err != nil {
		return nil, err
	}
	if id, ok := s.ids[string(text)]; ok {
		return id, nil
	}
	if _, err := s.conn.ExecContext(ctx, "INSERT INTO source_sets (sources) VALUES (?) ON CONFLICT (sources) DO NOTHING", string(text)); err != nil {
		return nil, err
	}
	var id int64
	if err := s.conn.QueryRowContext(ctx, "SELECT id FROM source_sets WHERE sources = ?", string(text)).Scan(&id); err != nil {
		return nil, err
	}
	s.ids[string(text)] = id
	return id, nil
}

// readSets reads them back; the records that share a set share the slice.
func readSets(ctx context.Context, conn *sql.Conn) (map[int64][]history.Source, error) {
	type row struct {
		id   int64
		read []history.Source
	}
	all, err := rows(ctx, conn, func(r *sql.Rows) (out row, err error) {
		var text string
		if err := r.Scan(&out.id, &text); err != nil {
			return out, err
		}
		if err := json.Unmarshal([]byte(text), &out.read); err != nil {
			return out, fmt.Errorf("what a run has read: %w", err)
		}
		return out, nil
	}, "SELECT id, sources FROM source_sets")
	if err != nil {
		return nil, err
	}
	sets := make(map[int64][]history.Source, len(all))
	for _, r := range all {
		sets[r.id] = r.read
	}
	return sets, nil
}
