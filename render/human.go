package render

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/proxaudit/proxaudit/audit"
)

// unknownValue stands for a number that was not seen.
const unknownValue = "?"

// age is a duration as kubectl prints it: 3d4h. The value comes with the result; nothing here asks a clock.
func age(seconds *int64) string {
	if seconds == nil {
		return ""
	}
	if *seconds < 0 {
		// Made after the run's clock: one of two clocks is wrong.
		return unknownValue
	}
	return duration.HumanDuration(time.Duration(*seconds) * time.Second)
}

// since is a point in time for a line that has room.
func since(t *time.Time, seconds *int64) string {
	if t == nil {
		return ""
	}
	s := t.UTC().Format("2006-01-02 15:04:05 UTC")
	if seconds != nil && *seconds >= 0 {
		s += " (" + age(seconds) + " ago)"
	}
	return s
}

// mebibytes is in GiB from 1 GiB on, with one decimal where it is not whole.
func mebibytes(n int64) string {
	switch {
	case n < 1024:
		return strconv.FormatInt(n, 10) + " MiB"
	case n%1024 == 0:
		return strconv.FormatInt(n/1024, 10) + " GiB"
	default:
		return strconv.FormatFloat(float64(n)/1024, 'f', 1, 64) + " GiB"
	}
}

// holds is "4 vCPU / 8 GiB / 40 GiB": processors, memory, disk.
func holds(h *audit.Holds) string {
	if h == nil || (h.VCPU == nil && h.MemoryMiB == nil && h.DiskGiB == nil) {
		return ""
	}
	cpu, mem, disk := unknownValue, unknownValue, unknownValue
	if h.VCPU != nil {
		cpu = strconv.Itoa(*h.VCPU)
	}
	if h.MemoryMiB != nil {
		mem = mebibytes(*h.MemoryMiB)
	}
	if h.DiskGiB != nil {
		disk = strconv.FormatInt(*h.DiskGiB, 10) + " GiB"
		if h.DiskPartial {
			disk = "at least " + disk
		}
	}
	return cpu + " vCPU / " + mem + " / " + disk
}

// count is "1 VM", "2 VMs".
func count(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// list is "a, b and c".
func list(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	default:
		return strings.Join(items[:len(items)-1], ", ") + " and " + items[len(items)-1]
	}
}

func sortedKeys(m map[string]string) []string { return slices.Sorted(maps.Keys(m)) }
