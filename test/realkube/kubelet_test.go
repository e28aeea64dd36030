package realkube

import (
	"io"
	"net"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/client-go/rest"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// TestPortForward: what goes into a forwarded port comes out behind it, and the other way round.
func TestPortForward(t *testing.T) {
	address := greeter(t)
	data, failure := forwardTo(t, testKubelet(t, map[string]string{"etcd-a": address}), "etcd-a")
	if _, err := io.WriteString(data, "cp-1\n"); err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(data)
	if err != nil || string(got) != "hello cp-1\n" {
		t.Errorf("read %q, %v", got, err)
	}
	if said, err := io.ReadAll(failure); err != nil || len(said) > 0 {
		t.Errorf("the stream for failures says %q, %v", said, err)
	}
}

// TestPortForwardToNothing: the reason comes on the stream for failures, where the client looks for it.
func TestPortForwardToNothing(t *testing.T) {
	port, err := freePort(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	_, failure := forwardTo(t, testKubelet(t, map[string]string{"etcd-a": loopback(port)}), "etcd-a")
	said, err := io.ReadAll(failure)
	if err != nil || !strings.Contains(string(said), "connection refused") {
		t.Errorf("the stream for failures says %q, %v", said, err)
	}
}

// TestPortForwardElsewhere: a Pod of another Node is not served.
func TestPortForwardElsewhere(t *testing.T) {
	_, err := dial(t, testKubelet(t, map[string]string{"etcd-a": "127.0.0.1:1"}), "etcd-b")
	if err == nil || !strings.Contains(err.Error(), `no Pod "etcd-b" here`) {
		t.Errorf("error %v", err)
	}
}

func testKubelet(t *testing.T, pods map[string]string) *kubelet {
	t.Helper()
	ca, err := newAuthority("test")
	if err != nil {
		t.Fatal(err)
	}
	pair, err := ca.server("a")
	if err != nil {
		t.Fatal(err)
	}
	k, err := startKubelet(t.Context(), filepath.Join(t.TempDir(), "kubelet.log"), pair, pods)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := k.close(); err != nil {
			t.Error(err)
		}
	})
	return k
}

// greeter answers one line of each connection and hangs up.
func greeter(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := listener.Close(); err != nil {
			t.Error(err)
		}
	})
	go func() {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		buffer := make([]byte, 64)
		n, err := conn.Read(buffer)
		if err == nil {
			_, err = io.WriteString(conn, "hello "+string(buffer[:n]))
		}
		if err != nil {
			t.Error(err)
		}
		if err := conn.Close(); err != nil {
			t.Error(err)
		}
	}()
	return listener.Addr().String()
}

func dial(t *testing.T, k *kubelet, pod string) (httpstream.Connection, error) {
	t.Helper()
	config := &rest.Config{TLSClientConfig: rest.TLSClientConfig{Insecure: true}, Proxy: noProxy}
	transport, upgrader, err := spdy.RoundTripperFor(config)
	if err != nil {
		t.Fatal(err)
	}
	target := &url.URL{Scheme: "https", Host: loopback(k.port()), Path: "/portForward/kube-system/" + pod}
	connection, _, err := spdy.NewDialerForStreaming(upgrader, &http.Client{Transport: transport}, http.MethodPost, target).Dial(forwardProtocol)
	if err == nil {
		t.Cleanup(func() {
			if err := connection.Close(); err != nil {
				t.Log(err)
			}
		})
	}
	return connection, err
}

// forwardTo opens one forwarded connection as client-go does: the stream for failures first.
func forwardTo(t *testing.T, k *kubelet, pod string) (data, failure httpstream.Stream) {
	t.Helper()
	connection, err := dial(t, k, pod)
	if err != nil {
		t.Fatal(err)
	}
	streams := map[string]httpstream.Stream{}
	for _, kind := range []string{"error", "data"} {
		headers := http.Header{"streamType": {kind}, "port": {"2379"}, "requestID": {"0"}}
		for name, values := range headers {
			delete(headers, name)
			headers[http.CanonicalHeaderKey(name)] = values
		}
		if streams[kind], err = connection.CreateStream(headers); err != nil {
			t.Fatal(err)
		}
	}
	return streams["data"], streams["error"]
}
