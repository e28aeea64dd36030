package realkube

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"
)

// etcd is the store that all API servers of a bench share.
type etcd struct {
	process *process
	url     string
	client  *http.Client
}

// startEtcd starts a single-member etcd that keeps its data under dir and does not wait for the disk.
func startEtcd(ctx context.Context, binary, dir string) (*etcd, error) {
	for attempt := 1; ; attempt++ {
		port, err := freePort(ctx)
		if err != nil {
			return nil, err
		}
		e := &etcd{url: "http://" + loopback(port), client: loopbackClient}
		e.process, err = startProcess("etcd", filepath.Join(dir, "etcd.log"), binary,
			"--name=bench",
			"--data-dir="+filepath.Join(dir, fmt.Sprintf("etcd-data-%d", attempt)),
			"--listen-client-urls="+e.url, "--advertise-client-urls="+e.url,
			// Nobody joins: any free port will do, and the cluster consists of the name alone.
			"--listen-peer-urls=http://127.0.0.1:0",
			"--unsafe-no-fsync",
			"--log-level=warn",
		)
		if err != nil {
			return nil, err
		}
		err = ready(ctx, e.process, e.health)
		if err == nil {
			return e, nil
		}
		if !e.process.addressInUse() || attempt == portAttempts {
			if stopErr := e.stop(); stopErr != nil {
				return nil, stopErr
			}
			return nil, err
		}
	}
}

func (e *etcd) stop() error {
	if e == nil {
		return nil
	}
	return e.process.stop(10 * time.Second)
}

func (e *etcd) health(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, e.url+"/health", nil)
	if err != nil {
		return err
	}
	var answer struct {
		Health string `json:"health"`
	}
	if err := roundTrip(e.client, request, &answer); err != nil {
		return err
	}
	if answer.Health != "true" {
		return fmt.Errorf("etcd's health is %q", answer.Health)
	}
	return nil
}

// keyValue is a key of etcd. JSON carries both in base64, which is what []byte does.
type keyValue struct {
	Key   []byte `json:"key"`
	Value []byte `json:"value"`
}

// list returns every key below a prefix, through etcd's JSON gateway.
func (e *etcd) list(ctx context.Context, prefix string) ([]keyValue, error) {
	var answer struct {
		KVs []keyValue `json:"kvs"`
	}
	end := []byte(prefix)
	end[len(end)-1]++
	ask := map[string]any{"key": []byte(prefix), "range_end": end}
	if err := e.call(ctx, "/v3/kv/range", ask, &answer); err != nil {
		return nil, fmt.Errorf("list etcd's keys below %s: %w", prefix, err)
	}
	return answer.KVs, nil
}

// put writes one key.
func (e *etcd) put(ctx context.Context, kv keyValue) error {
	if err := e.call(ctx, "/v3/kv/put", kv, &struct{}{}); err != nil {
		return fmt.Errorf("write etcd's key %s: %w", kv.Key, err)
	}
	return nil
}

func (e *etcd) call(ctx context.Context, path string, ask, answer any) error {
	body, err := json.Marshal(ask)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, e.url+path, bytes.NewReader(body))
	if err != nil {
		return err
	}
	return roundTrip(e.client, request, answer)
}

// loopbackClient ignores the proxy of the environment: everything here is on loopback.
var loopbackClient = &http.Client{Transport: &http.Transport{}}

func roundTrip(client *http.Client, request *http.Request, answer any) error {
	response, err := client.Do(request)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s %s: %s: %s", request.Method, request.URL.Path, response.Status, bytes.TrimSpace(body))
	}
	return json.Unmarshal(body, answer)
}
