package pvesim

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"regexp"
	"strings"
)

// listSeparator joins the values of a parameter that is an array.
const listSeparator = "\x00"

var reUpload = regexp.MustCompile(`^/nodes/[^/]+/storage/[^/]+/upload$`)

// bodyParams decodes the body of a write: JSON or a form (pve-http-server
// AnyEvent.pm, extract_params).
func bodyParams(contentType string, body []byte) (map[string]string, *apiError) {
	kind := ""
	if contentType != "" {
		var err error
		if kind, _, err = mime.ParseMediaType(contentType); err != nil {
			kind = contentType
		}
	}
	switch {
	case len(body) == 0:
		return map[string]string{}, nil
	case kind == "application/json":
		return jsonParams(body)
	case kind == "" || kind == "application/x-www-form-urlencoded":
		return formParams(string(body)), nil
	}
	return nil, &apiError{
		status: http.StatusVariantAlsoNegotiates, message: fmt.Sprintf("upload 'Content-Type '%s' not implemented", contentType),
	}
}

// formParams decodes a form as decode_urlencoded of AnyEvent.pm does: a semicolon
// parts like an ampersand, what follows a second equals sign is lost, a broken
// escape stays as it is, and a name that comes again makes a list.
func formParams(body string) map[string]string {
	res := map[string]string{}
	for _, pair := range strings.FieldsFunc(body, func(r rune) bool { return r == '&' || r == ';' }) {
		parts := strings.Split(pair, "=")
		if len(parts) == 1 {
			continue // a name without a value is no parameter
		}
		name, value := unescapeForm(parts[0]), unescapeForm(parts[1])
		if old, again := res[name]; again {
			value = old + listSeparator + value
		}
		res[name] = value
	}
	return res
}

func unescapeForm(s string) string { return decodeText(strings.ReplaceAll(s, "+", " ")) }

// jsonParams reads an object of scalars and lists of them. Perl makes text of all
// scalars, true is 1 and false 0.
func jsonParams(body []byte) (map[string]string, *apiError) {
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.UseNumber()
	var obj map[string]any
	if err := dec.Decode(&obj); err != nil {
		return nil, failed("malformed JSON string: %v", err)
	}
	res := map[string]string{}
	for name, v := range obj {
		if list, ok := v.([]any); ok {
			var parts []string
			for _, item := range list {
				text, ok := jsonScalar(item)
				if !ok {
					return nil, badParams(map[string]string{name: "type check ('string') failed - got ARRAY"})
				}
				parts = append(parts, text)
			}
			// A list of one is a list too.
			res[name] = strings.Join(parts, listSeparator) + listSeparator
			continue
		}
		if v == nil {
			continue
		}
		text, ok := jsonScalar(v)
		if !ok {
			return nil, badParams(map[string]string{name: "type check ('string') failed - got HASH"})
		}
		res[name] = text
	}
	return res, nil
}

func jsonScalar(v any) (string, bool) {
	switch x := v.(type) {
	case string:
		return x, true
	case json.Number:
		return x.String(), true
	case bool:
		if x {
			return "1", true
		}
		return "0", true
	}
	return "", false
}

// The parameters that stand for an uploaded file: its name as the client gave it
// and how many bytes came. The content is not kept.
const (
	uploadName = "filename"
	uploadSize = "tmpfilename"
)

// uploadParams reads the form of an upload.
func uploadParams(contentType string, body []byte) (map[string]string, *apiError) {
	kind, attrs, err := mime.ParseMediaType(contentType)
	if err != nil || kind != "multipart/form-data" || attrs["boundary"] == "" {
		return nil, failed("upload 'Content-Type '%s' not implemented", contentType)
	}
	res := map[string]string{}
	r := multipart.NewReader(bytes.NewReader(body), attrs["boundary"])
	for {
		part, err := r.NextPart()
		if errors.Is(err, io.EOF) {
			return res, nil
		}
		if err != nil {
			return nil, failed("cannot read the upload: %v", err)
		}
		data, err := io.ReadAll(part)
		if err != nil {
			return nil, failed("cannot read the upload: %v", err)
		}
		switch name := part.FormName(); {
		case name == uploadName && part.FileName() != "":
			res[uploadName], res[uploadSize] = part.FileName(), fmt.Sprint(len(data))
		case name == uploadSize:
			return nil, failed("'tmpfilename' parameter is not allowed for file uploads")
		default:
			res[name] = string(data)
		}
	}
}
