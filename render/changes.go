package render

import (
	"fmt"
	"strings"

	"github.com/proxaudit/proxaudit/audit"
)

// changesShown is how many changes ChangesText names, for a chat is no report.
const changesShown = 10

// ChangesText is the news of a run in a few lines, for chats that show a message's text. What others have named is in code spans, in
// which Slack and Mattermost make no link and call nobody.
func ChangesText(c *audit.ReportChanges) string {
	var b strings.Builder
	fmt.Fprintf(&b, "proxaudit, %s: %s", c.GeneratedAt.UTC().Format("2006-01-02 15:04 UTC"), changeCounts(&c.Summary.Changes))
	if c.Since != nil {
		fmt.Fprintf(&b, " since %s", c.Since.UTC().Format("2006-01-02 15:04 UTC"))
	}
	fmt.Fprintf(&b, "; %s now", count(c.Summary.Findings, "finding", "findings"))
	for i := range c.Items {
		if i == changesShown {
			fmt.Fprintf(&b, "\n… and %d more", len(c.Items)-i)
			break
		}
		it := &c.Items[i]
		fmt.Fprintf(&b, "\n%s: %s %s", changeWord(it.Change), it.Class, chatCode(it.Subject))
		if it.Name != "" && !strings.HasSuffix(it.Subject, "/"+it.Name) {
			b.WriteString(" " + chatCode(it.Name))
		}
		if it.Severity == audit.Critical {
			b.WriteString(" (critical)")
		}
	}
	if c.Summary.Incomplete {
		b.WriteString("\nincomplete: verdicts are missing")
		var sources []string
		for i := range c.NotSeen {
			sources = append(sources, chatCode(c.NotSeen[i].Need().String()))
		}
		if len(sources) > 0 {
			b.WriteString(", for these did not answer in full: " + some(sources, 5))
		}
	}
	return b.String()
}

func changeCounts(c *audit.ChangeCounts) string {
	var parts []string
	for _, part := range []struct {
		n    int
		word string
	}{{c.New, "new"}, {c.Reopened, "back"}, {c.IgnoreExpired, "not ignored any more"}, {c.Verified, "verified again"}, {c.Resolved, "resolved"}, {c.Unverified, "not verified any more"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.word))
		}
	}
	if len(parts) == 0 {
		return "nothing changed"
	}
	return strings.Join(parts, ", ")
}

func changeWord(k audit.ChangeKind) string {
	switch k {
	case audit.ChangeReopened:
		return "back"
	case audit.ChangeIgnoreExpired:
		return "not ignored any more"
	case audit.ChangeVerified:
		return "still there"
	case audit.ChangeUnverified:
		return "not verified"
	default:
		return string(k)
	}
}

// chatEscapes are Slack's, whose <!channel> and <URL|text> work in any place; a code span ends at a backquote.
var chatEscapes = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "'")

// chatLimit is longer than any name that Kubernetes or Proxmox takes.
const chatLimit = 300

// chatCode is a name in a code span of a chat.
func chatCode(s string) string {
	text := []rune(Visible(s))
	if len(text) > chatLimit {
		text = append(text[:chatLimit], '…')
	}
	return "`" + chatEscapes.Replace(string(text)) + "`"
}
