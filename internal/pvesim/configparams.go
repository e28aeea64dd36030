package pvesim

import (
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// configControls are the parameters of a change that are no options themselves.
var configControls = []param{
	nodeParam, vmidParam(true), {name: "skiplock", kind: kindBoolean}, {name: "delete", invalid: invalidIDList},
	{name: "revert", invalid: invalidIDList}, {name: "force", kind: kindBoolean}, {name: "digest"},
}

// internalOptions are lines of the file that the API does not set
// (qemu-server QemuServer.pm, json_config_properties).
var internalOptions = []string{
	"parent", "snaptime", "vmstate", "runningmachine", "runningcpu", "running-nets-host-mtu", "meta",
}

// minimums of options whose table entry does not say it.
var minimums = map[string]int64{"cores": 1, "sockets": 1, "vcpus": 1, "smp": 1}

var reConfigID = regexp.MustCompile(`(?i)^[a-z][a-z0-9_-]+$`)

func invalidIDList(v string) string {
	for _, id := range splitList(v) {
		if !reConfigID.MatchString(id) {
			return "invalid format - invalid configuration ID '" + id + "'\n"
		}
	}
	return ""
}

func configParamsAsync(r release) []param {
	return append(configParams(r), param{name: "background_delay", kind: kindInteger, invalid: func(v string) string {
		if n := toInt(v); n < 1 || n > 30 {
			return "value must be between 1 and 30"
		}
		return ""
	}})
}

// configParams are the parameters of PUT …/config: every option of the file that
// the API sets.
func configParams(r release) []param {
	list := slices.Clone(configControls)
	table := qemuOptions(r)
	for _, name := range slices.Sorted(maps.Keys(table)) {
		if slices.Contains(internalOptions, name) {
			continue
		}
		list = append(list, param{name: name, kind: table[name].kind, invalid: invalidOption(name, table[name])})
	}
	return append(list, param{name: "description"})
}

// invalidOption words what is wrong with the value of an option.
func invalidOption(name string, o option) func(string) string {
	return func(v string) string {
		if o.kind == kindInteger {
			n, err := strconv.ParseInt(v, 10, 64)
			if least, ok := minimums[name]; ok && (err != nil || n < least) {
				return "value must have a minimum value of " + strconv.FormatInt(least, 10)
			}
			if err != nil || n < 0 {
				return "value must have a minimum value of 0"
			}
			return ""
		}
		if isDrive(name) {
			if _, err := parseDrive(name, v); err != nil {
				return "invalid format - format error\n" + name + "." + err.Error() + "\n"
			}
			return ""
		}
		if _, err := o.value(v); err == nil || name == "tags" && v == "" {
			return ""
		} else if o.schema != nil {
			return "invalid format - format error\n" + name + "." + err.Error() + "\n"
		}
		switch name {
		case "name":
			return "invalid format - value does not look like a valid DNS name\n"
		case "tags":
			return "invalid format - invalid characters in tag\n"
		}
		if len(o.enum) > 0 {
			return "value '" + v + "' does not have a value in the enumeration '" + strings.Join(o.enum, ", ") + "'"
		}
		if o.pattern != nil {
			return "value does not match the regex pattern"
		}
		return "invalid format - " + name + "\n"
	}
}
