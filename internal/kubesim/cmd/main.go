// Command kubesim serves a folder of Kubernetes manifests as a read-only API on loopback, until it is interrupted.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/proxaudit/proxaudit/internal/kubesim"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, os.Args[1:], os.Stdout, os.Stderr); err != nil {
		stop()
		if errors.Is(err, flag.ErrHelp) {
			return
		}
		fmt.Fprintln(os.Stderr, "kubesim:", err)
		os.Exit(2) //nolint:gocritic // stop was called
	}
}

// run serves until the context ends. The first line on stdout is the server's URL: a script waits for it.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	flags := flag.NewFlagSet("kubesim", flag.ContinueOnError)
	flags.SetOutput(stderr)
	manifests := flags.String("manifests", "", "folder of manifests (and an optional "+kubesim.ConfigFile+")")
	listen := flags.String("listen", "127.0.0.1:0", "loopback address to listen on; port 0 takes a free one")
	kubeconfig := flags.String("kubeconfig", "", "file to write a kubeconfig for this server to")
	name := flags.String("context", "kubesim", "name of the kubeconfig's context")
	secure := flags.Bool("tls", false, "serve https, with a CA made for this run")
	token := flags.String("token", "", "bearer token that clients need")
	if err := flags.Parse(args); err != nil {
		return err
	}
	if *manifests == "" || flags.NArg() > 0 {
		return errors.New("usage: kubesim --manifests DIR [--listen 127.0.0.1:0] [--kubeconfig FILE] [--context NAME] [--tls] [--token TOKEN]")
	}
	cluster, err := kubesim.Load(*manifests)
	if err != nil {
		return err
	}
	server, err := kubesim.Start(cluster, kubesim.Options{Listen: *listen, TLS: *secure, Token: *token})
	if err != nil {
		return err
	}
	if *kubeconfig != "" {
		if err := server.WriteKubeconfig(*kubeconfig, *name); err != nil {
			return errors.Join(err, server.Close())
		}
	}
	if _, err := fmt.Fprintln(stdout, server.URL()); err != nil {
		return errors.Join(err, server.Close())
	}
	<-ctx.Done()
	return server.Close()
}
