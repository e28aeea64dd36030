// Command cmd serves a simulated Proxmox VE API on loopback for a person.
//
//	go run ./internal/pvesim/cmd --fleet FILE [--fleet OVERLAY] [--listen 127.0.0.1:8006]
//	go run ./internal/pvesim/cmd --import DIR [--write FILE]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/proxaudit/proxaudit/internal/pvesim"
	"github.com/proxaudit/proxaudit/internal/pvesim/importer"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, os.Args[1:], os.Stdout, os.Stderr)
	stop()
	if errors.Is(err, flag.ErrHelp) {
		return
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "pvesim:", err)
		os.Exit(2)
	}
}

type settings struct {
	fleets    []string
	importDir string
	writeTo   string
	caTo      string
	opts      pvesim.Options
}

func parseFlags(args []string, stderr io.Writer) (settings, error) {
	var s settings
	fs := flag.NewFlagSet("pvesim", flag.ContinueOnError)
	fs.SetOutput(stderr)
	fs.Func("fleet", "fleet `file`; given again, a later file is laid over the earlier ones", func(v string) error {
		s.fleets = append(s.fleets, v)
		return nil
	})
	fs.StringVar(&s.opts.Listen, "listen", "127.0.0.1:0", "loopback `address` to serve on")
	fs.BoolVar(&s.opts.PlainHTTP, "plain-http", false, "serve without TLS")
	fs.BoolVar(&s.opts.Writable, "writable", false, "carry out the writes of a Cluster API provider instead of refusing all writes")
	fs.StringVar(&s.importDir, "import", "", "`folder` with raw Proxmox VE configuration (as /etc/pve) to turn into a fleet")
	fs.StringVar(&s.writeTo, "write", "", "write the imported fleet to this `file` and stop; - is standard output")
	fs.StringVar(&s.caTo, "ca-file", "", "write the certificate of the simulator's CA to this `file`")
	if err := fs.Parse(args); err != nil {
		return s, err
	}
	switch {
	case fs.NArg() > 0:
		return s, fmt.Errorf("unexpected argument %q", fs.Arg(0))
	case s.importDir == "" && len(s.fleets) == 0:
		return s, errors.New("give --fleet FILE or --import DIR")
	case s.writeTo != "" && s.importDir == "":
		return s, errors.New("--write goes with --import")
	case s.importDir != "" && len(s.fleets) > 0:
		return s, errors.New("give --fleet or --import, not both; write the import to a file to lay others over it")
	}
	return s, nil
}

// run serves until ctx ends.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	s, err := parseFlags(args, stderr)
	if err != nil {
		return err
	}
	var fleet *pvesim.Fleet
	if s.importDir != "" {
		if fleet, err = importer.Import(s.importDir); err != nil {
			return err
		}
	} else if fleet, err = pvesim.LoadFleet(s.fleets...); err != nil {
		return err
	}
	if s.writeTo != "" {
		return write(fleet, s.writeTo, stdout)
	}
	srv, err := pvesim.Start(fleet, s.opts)
	if err != nil {
		return err
	}
	if err := announce(srv, s, stdout); err != nil {
		return errors.Join(err, srv.Close())
	}
	<-ctx.Done()
	return srv.Close()
}

func write(fleet *pvesim.Fleet, to string, stdout io.Writer) error {
	data, err := fleet.Write()
	if err != nil {
		return err
	}
	if to == "-" {
		_, err = stdout.Write(data)
		return err
	}
	return os.WriteFile(to, data, 0o600)
}

// announce tells how to point a client at the simulator. The secrets are made up
// and open nothing else.
func announce(srv *pvesim.Server, s settings, stdout io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "Proxmox VE simulator: %s\n", srv.URL)
	if s.opts.Writable {
		b.WriteString("  It carries out writes.\n")
	}
	for _, id := range srv.TokenIDs() {
		fmt.Fprintf(&b, "  token %s\n", id)
	}
	id := srv.TokenIDs()[0]
	fmt.Fprintf(&b, "To use the first one:\n  export PROXMOX_URL=%s/api2/json\n  export PROXMOX_TOKEN='%s'\n  export PROXMOX_SECRET='%s'\n",
		srv.URL, id, srv.Secret(id))
	if !s.opts.PlainHTTP {
		fmt.Fprintf(&b, "Certificate SHA-256 fingerprint:\n  %s\n", srv.Fingerprint())
	}
	if s.caTo != "" && srv.CAPEM() != nil {
		if err := os.WriteFile(s.caTo, srv.CAPEM(), 0o600); err != nil {
			return fmt.Errorf("write the CA: %w", err)
		}
		fmt.Fprintf(&b, "CA certificate: %s\n", s.caTo)
	}
	b.WriteString("Stop with Ctrl-C.\n")
	_, err := io.WriteString(stdout, b.String())
	return err
}
