package config

import (
	"errors"
	"strconv"
	"strings"
	"time"
)

// ParseDays reads a duration as ParseDuration does, or a whole number of days, like 400d.
func ParseDays(s string) (time.Duration, error) {
	const most = 100 * 365
	if number, ok := strings.CutSuffix(s, "d"); ok {
		n, err := strconv.ParseUint(number, 10, 32)
		if err != nil || n > most {
			return 0, errors.New("want days or hours, like 400d or 72h")
		}
		return time.Duration(n) * 24 * time.Hour, nil
	}
	d, err := ParseDuration(s)
	if err != nil {
		return 0, errors.New("want days or hours, like 400d or 72h")
	}
	return d, nil
}
