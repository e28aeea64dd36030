package realkube

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"k8s.io/streaming/pkg/httpstream"
	"k8s.io/streaming/pkg/httpstream/spdy"
)

// kubelet is the one endpoint of a kubelet that forwards ports into Pods. Where a real one enters the network
// namespace of the Pod, this one has a list of addresses.
type kubelet struct {
	// pods maps the name of a Pod of kube-system to the loopback address of what it would run.
	pods     map[string]string
	listener net.Listener
	server   *http.Server
	log      *log.Logger
	file     *os.File
}

// forwardProtocol is what client and kubelet agree on (k8s.io/client-go tools/portforward, PortForwardProtocolV1Name).
const forwardProtocol = "portforward.k8s.io"

// startKubelet listens on a free loopback port. The API server does not check the certificate unless it is told the
// authority of the kubelets, which kubeadm does not do.
func startKubelet(ctx context.Context, logFile string, pair keyPair, pods map[string]string) (*kubelet, error) {
	certificate, err := tls.X509KeyPair(pair.cert, pair.key)
	if err != nil {
		return nil, err
	}
	file, err := os.OpenFile(logFile, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600) //nolint:gosec // below the bench's own folder
	if err != nil {
		return nil, err
	}
	k := &kubelet{pods: pods, file: file, log: log.New(file, "", log.LstdFlags|log.Lmicroseconds)}
	var config net.ListenConfig
	if k.listener, err = config.Listen(ctx, "tcp", "127.0.0.1:0"); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/portForward/kube-system/{pod}", k.portForward)
	k.server = &http.Server{
		Handler: mux, ErrorLog: k.log, ReadHeaderTimeout: 10 * time.Second,
		TLSConfig: &tls.Config{Certificates: []tls.Certificate{certificate}, MinVersion: tls.VersionTLS12},
		// An upgrade takes the connection over, which HTTP/2 has no notion of.
		TLSNextProto: map[string]func(*http.Server, *tls.Conn, http.Handler){},
	}
	go func() {
		if err := k.server.ServeTLS(k.listener, "", ""); !errors.Is(err, http.ErrServerClosed) {
			k.log.Print(err)
		}
	}()
	return k, nil
}

// port is where the kubelet listens.
func (k *kubelet) port() int { return k.listener.Addr().(*net.TCPAddr).Port }

func (k *kubelet) close() error {
	return errors.Join(k.server.Close(), k.file.Close())
}

// portForward serves one upgraded connection until either side ends it.
func (k *kubelet) portForward(w http.ResponseWriter, r *http.Request) {
	pod := r.PathValue("pod")
	address, ok := k.pods[pod]
	k.log.Printf("%s %s to %q", r.Method, r.URL.Path, address)
	if !ok {
		http.Error(w, fmt.Sprintf("no Pod %q here", pod), http.StatusNotFound)
		return
	}
	if _, err := httpstream.Handshake(r, w, []string{forwardProtocol}); err != nil {
		k.log.Print(err) // the client has its answer
		return
	}
	streams := make(chan httpstream.Stream)
	connection := spdy.NewResponseUpgrader().UpgradeResponse(w, r, func(s httpstream.Stream, _ <-chan struct{}) error {
		streams <- s
		return nil
	})
	if connection == nil {
		return
	}
	defer func() { k.logIf(connection.Close()) }()
	k.serve(connection, streams, address)
}

// serve pairs the streams of a connection: each forwarded connection has one for errors, which the client opens first,
// and one for data.
func (k *kubelet) serve(connection httpstream.Connection, streams <-chan httpstream.Stream, address string) {
	failures := map[string]httpstream.Stream{}
	for {
		select {
		case <-connection.CloseChan():
			return
		case s := <-streams:
			request := s.Headers().Get("requestID")
			switch kind := s.Headers().Get("streamType"); kind {
			case "error":
				failures[request] = s
			case "data":
				failure := failures[request]
				delete(failures, request)
				go k.forward(s, failure, address)
			default:
				k.log.Printf("a stream of type %q", kind)
			}
		}
	}
}

// forward copies both ways until both are done, and says on the failure stream why it could not.
func (k *kubelet) forward(data, failure httpstream.Stream, address string) {
	err := pipe(data, address)
	if failure != nil {
		if err != nil {
			_, writeErr := fmt.Fprintf(failure, "error forwarding to %s: %v", address, err)
			k.logIf(writeErr)
		}
		k.logIf(failure.Close())
	}
	k.logIf(err)
	k.logIf(data.Close())
}

func pipe(data io.ReadWriter, address string) error {
	conn, err := (&net.Dialer{}).DialContext(context.Background(), "tcp", address)
	if err != nil {
		return err
	}
	sent := make(chan error, 1)
	go func() {
		_, err := io.Copy(conn, data)
		sent <- errors.Join(err, conn.(*net.TCPConn).CloseWrite())
	}()
	_, err = io.Copy(data, conn)
	err = errors.Join(err, conn.Close())
	select {
	case sendErr := <-sent:
		return errors.Join(err, sendErr)
	default:
		// The server hung up first; the client's side ends with the stream.
		return err
	}
}

// logIf notes what goes wrong at the end of a connection, most of which is that the other side was faster.
func (k *kubelet) logIf(err error) {
	if err != nil && !strings.Contains(err.Error(), "use of closed") {
		k.log.Print(err)
	}
}
