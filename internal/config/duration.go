package config

import (
	"errors"
	"fmt"
	"strconv"
	"time"

	"go.yaml.in/yaml/v3"
)

// Duration is a Go duration that has to be written with its unit. The YAML library reads a bare number as nanoseconds,
// and "gracePeriod: 30" meant minutes to whoever wrote it.
type Duration time.Duration

// UnmarshalYAML implements yaml.Unmarshaler. The structure check has tried the value before, so that an error here has
// no line any more.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := ParseDuration(n.Value)
	if err != nil {
		return err
	}
	*d = Duration(v)
	return nil
}

// ParseDuration reads a duration that is not negative and has its unit, unless it is 0.
func ParseDuration(s string) (time.Duration, error) {
	v, err := time.ParseDuration(s)
	switch {
	case err != nil:
		if _, numErr := strconv.ParseUint(s, 10, 32); numErr == nil {
			return 0, fmt.Errorf("a duration needs its unit, like %ss or %sm", s, s)
		}
		return 0, errors.New("want a duration with its unit, like 30m or 1h30m")
	case v < 0:
		return 0, errors.New("a duration cannot be negative")
	}
	return v, nil
}
