package pvesim

import (
	"reflect"
	"time"
)

// clone returns a deep copy, so that neither the caller of Start nor a running
// request can change what the other reads.
func (f *Fleet) clone() *Fleet {
	if f == nil {
		return &Fleet{}
	}
	return deepCopy(reflect.ValueOf(f)).Interface().(*Fleet)
}

var timeType = reflect.TypeFor[time.Time]()

// deepCopy copies the kinds of values that a fleet is made of.
func deepCopy(v reflect.Value) reflect.Value {
	res := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			res.Set(reflect.New(v.Type().Elem()))
			res.Elem().Set(deepCopy(v.Elem()))
		}
	case reflect.Interface:
		if !v.IsNil() {
			res.Set(deepCopy(v.Elem()))
		}
	case reflect.Map:
		if !v.IsNil() {
			res.Set(reflect.MakeMapWithSize(v.Type(), v.Len()))
			for it := v.MapRange(); it.Next(); {
				res.SetMapIndex(it.Key(), deepCopy(it.Value()))
			}
		}
	case reflect.Slice:
		if !v.IsNil() {
			res.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
			for i := range v.Len() {
				res.Index(i).Set(deepCopy(v.Index(i)))
			}
		}
	case reflect.Struct:
		if v.Type() == timeType {
			return v
		}
		for i := range v.NumField() {
			res.Field(i).Set(deepCopy(v.Field(i)))
		}
	default:
		return v
	}
	return res
}
