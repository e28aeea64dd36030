package pvesim

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"strconv"
	"strings"
	"testing"
	"time"
)

// rawAnswer is an HTTP answer as it came over the wire: net/http would join the
// Connection headers and hide them.
type rawAnswer struct {
	status  int
	reason  string
	headers [][2]string
	body    string
}

func (a rawAnswer) values(name string) []string {
	var res []string
	for _, h := range a.headers {
		if strings.EqualFold(h[0], name) {
			res = append(res, h[1])
		}
	}
	return res
}

// rawRequest sends one request to the API of a node over a connection of its own.
func rawRequest(t *testing.T, s *Server, node, method, path, authorization, body string, headers map[string]string) rawAnswer {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.NodeURL(node), "http://"))
	if err != nil {
		t.Fatalf("dial the API of node %s: %v", node, err)
	}
	defer closeQuietly(conn)
	if err := conn.SetDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s %s HTTP/1.1\r\nHost: %s\r\n", method, path, node)
	if authorization != "" {
		fmt.Fprintf(&b, "Authorization: %s\r\n", authorization)
	}
	for k, v := range headers {
		fmt.Fprintf(&b, "%s: %s\r\n", k, v)
	}
	if body != "" {
		fmt.Fprintf(&b, "Content-Length: %d\r\n", len(body))
	}
	b.WriteString("\r\n" + body)
	if _, err := io.WriteString(conn, b.String()); err != nil {
		t.Fatalf("%s %s: write: %v", method, path, err)
	}
	a, err := readAnswer(bufio.NewReader(conn))
	if err != nil {
		t.Fatalf("%s %s: %v", method, path, err)
	}
	return a
}

func readAnswer(r *bufio.Reader) (rawAnswer, error) {
	line, err := textproto.NewReader(r).ReadLine()
	if err != nil {
		return rawAnswer{}, fmt.Errorf("status line: %w", err)
	}
	proto, rest, _ := strings.Cut(line, " ")
	code, reason, _ := strings.Cut(rest, " ")
	status, err := strconv.Atoi(code)
	if err != nil || proto != "HTTP/1.1" {
		return rawAnswer{}, fmt.Errorf("status line %q", line)
	}
	a := rawAnswer{status: status, reason: reason}
	length := -1
	for {
		line, err := textproto.NewReader(r).ReadLine()
		if err != nil {
			return a, fmt.Errorf("headers: %w", err)
		}
		if line == "" {
			break
		}
		k, v, ok := strings.Cut(line, ": ")
		if !ok {
			return a, fmt.Errorf("header line %q", line)
		}
		a.headers = append(a.headers, [2]string{k, v})
		if strings.EqualFold(k, "Content-Length") {
			if length, err = strconv.Atoi(v); err != nil {
				return a, fmt.Errorf("content length %q", v)
			}
		}
	}
	var body bytes.Buffer
	if length >= 0 {
		_, err = io.CopyN(&body, r, int64(length))
	} else {
		_, err = io.Copy(&body, r)
	}
	a.body = body.String()
	if err != nil {
		return a, fmt.Errorf("body: %w", err)
	}
	return a, nil
}
