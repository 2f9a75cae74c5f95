// moov-io/iso8583 as a peer: a command a line on standard input, its arguments behind tabs; an answer a line.
//
// Messages stand as in JposPeer.java.
package main

import (
	"bufio"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/moov-io/iso8583"
	connection "github.com/moov-io/iso8583-connection"
	"github.com/moov-io/iso8583/field"
	"github.com/moov-io/iso8583/network"
	"github.com/moov-io/iso8583/specs"
)

const patience = 5 * time.Second

var (
	known = map[string]*iso8583.MessageSpec{
		"spec87ascii": specs.Spec87ASCII,
		"spec87hex":   specs.Spec87Hex,
		"spec87":      iso8583.Spec87,
	}
	clients = map[string]*connection.Connection{}
	lock    sync.Mutex
	seen    = map[string][]string{}
)

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<24)
	for in.Scan() {
		made, err := answer(strings.Split(in.Text(), "\t"))
		if err != nil {
			made = "! " + oneLine(err.Error())
		}
		fmt.Println(made)
	}
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

func answer(said []string) (made string, err error) {
	defer func() {
		if broken := recover(); broken != nil {
			err = fmt.Errorf("panic: %v", broken)
		}
	}()
	if said[0] == "define" {
		spec, err := specs.ImportJSON([]byte(said[2]))
		if err == nil {
			known[said[1]] = spec
		}
		return "ok", err
	}
	if said[0] == "seen" || said[0] == "close" {
		return closing(said)
	}
	if said[0] == "send" {
		return send(said[1], said[2])
	}
	name := said[1]
	if said[0] == "connect" {
		name = said[3]
	}
	if said[0] == "serve" {
		name = said[2]
	}
	spec := known[name]
	if spec == nil {
		return "", errors.New("no specification " + name)
	}
	switch said[0] {
	case "export":
		raw, err := specs.ExportJSON(spec)
		return oneLine(string(raw)), err
	case "pack":
		message, err := read(spec, said[2])
		if err != nil {
			return "", err
		}
		raw, err := message.Pack()
		return strings.ToUpper(hex.EncodeToString(raw)), err
	case "unpack":
		raw, _ := hex.DecodeString(said[2])
		message := iso8583.NewMessage(spec)
		if err := message.Unpack(raw); err != nil {
			return "", err
		}
		return show(message), nil
	case "serve":
		return serve(spec, said[1])
	case "connect":
		return connect(spec, said[1], said[2])
	}
	return "", errors.New(said[0])
}

func read(spec *iso8583.MessageSpec, line string) (*iso8583.Message, error) {
	message := iso8583.NewMessage(spec)
	for _, one := range strings.Split(line, "|") {
		at := strings.IndexAny(one, "=:")
		path, said := one[:at], one[at+1:]
		var value any = text(said)
		if one[at] == ':' {
			value, _ = hex.DecodeString(said)
		}
		if path == "0" {
			message.MTI(text(said))
		} else if err := message.MarshalPath(path, value); err != nil {
			return nil, err
		}
	}
	return message, nil
}

func text(escaped string) string {
	var made strings.Builder
	for at := 0; at < len(escaped); at++ {
		if escaped[at] == '%' {
			code, _ := strconv.ParseUint(escaped[at+1:at+3], 16, 8)
			made.WriteByte(byte(code))
			at += 2
		} else {
			made.WriteByte(escaped[at])
		}
	}
	return made.String()
}

func escaped(value string) string {
	var made strings.Builder
	for _, one := range []byte(value) {
		if one < 0x20 || one > 0x7E || one == '%' || one == '|' {
			fmt.Fprintf(&made, "%%%02X", one)
		} else {
			made.WriteByte(one)
		}
	}
	return made.String()
}

func show(message *iso8583.Message) string {
	parts := []string{}
	fields := message.GetFields()
	numbers := make([]int, 0, len(fields))
	for number := range fields {
		numbers = append(numbers, number)
	}
	sort.Ints(numbers)
	for _, number := range numbers {
		if number != 1 {
			parts = collect(parts, strconv.Itoa(number), fields[number])
		}
	}
	return strings.Join(parts, "|")
}

func collect(parts []string, path string, one field.Field) []string {
	switch value := one.(type) {
	case *field.Composite:
		inside := value.GetSubfields()
		keys := make([]string, 0, len(inside))
		for key := range inside {
			keys = append(keys, key)
		}
		sort.Strings(keys)
		for _, key := range keys {
			parts = collect(parts, path+"."+key, inside[key])
		}
		return parts
	case *field.Binary, *field.Hex:
		raw, _ := value.Bytes()
		return append(parts, path+":"+strings.ToUpper(hex.EncodeToString(raw)))
	}
	shown, _ := one.String()
	return append(parts, path+"="+escaped(shown))
}

// framed says how a message's length is read and written.
func framed(name string) (connection.MessageLengthReader, connection.MessageLengthWriter) {
	return func(from io.Reader) (int, error) {
			switch name {
			case "ascii4":
				made := network.NewASCII4BytesHeader()
				_, err := made.ReadFrom(from)
				return made.Length(), err
			case "bcd2":
				made := network.NewBCD2BytesHeader()
				_, err := made.ReadFrom(from)
				return made.Length(), err
			case "vml":
				made := network.NewVMLHeader()
				_, err := made.ReadFrom(from)
				return made.Length(), err
			}
			made := network.NewBinary2BytesHeader()
			_, err := made.ReadFrom(from)
			return made.Length(), err
		}, func(to io.Writer, size int) (int, error) {
			switch name {
			case "ascii4":
				made := network.NewASCII4BytesHeader()
				made.SetLength(size)
				return made.WriteTo(to)
			case "bcd2":
				made := network.NewBCD2BytesHeader()
				made.SetLength(size)
				return made.WriteTo(to)
			case "vml":
				made := network.NewVMLHeader()
				if err := made.SetLength(size); err != nil {
					return 0, err
				}
				return made.WriteTo(to)
			}
			made := network.NewBinary2BytesHeader()
			if err := made.SetLength(size); err != nil {
				return 0, err
			}
			return made.WriteTo(to)
		}
}

func serve(spec *iso8583.MessageSpec, header string) (string, error) {
	reader, writer := framed(header)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	port := strconv.Itoa(listener.Addr().(*net.TCPAddr).Port)
	lock.Lock()
	seen[port] = []string{}
	lock.Unlock()
	note := func(line string) {
		lock.Lock()
		defer lock.Unlock()
		seen[port] = append(seen[port], line)
	}
	go func() {
		for {
			socket, err := listener.Accept()
			if err != nil {
				return
			}
			_, err = connection.NewFrom(socket, spec, reader, writer,
				connection.InboundMessageHandler(func(at *connection.Connection, message *iso8583.Message) {
					note(show(message))
					if err := at.Reply(approved(message)); err != nil {
						note("! " + oneLine(err.Error()))
					}
				}))
			if err != nil {
				note("! " + oneLine(err.Error()))
			}
		}
	}()
	return port, nil
}

func approved(message *iso8583.Message) *iso8583.Message {
	mti, _ := message.GetMTI()
	message.MTI(mti[:2] + string(mti[2]+1) + mti[3:])
	code := "00"
	if amount, _ := message.GetString(4); strings.HasSuffix(amount, "51") {
		code = "51"
	}
	_ = message.Field(39, code)
	for _, number := range []int{14, 18, 22, 25, 26, 35, 45, 52, 55} {
		message.UnsetField(number)
	}
	return message
}

func connect(spec *iso8583.MessageSpec, port, header string) (string, error) {
	reader, writer := framed(header)
	made, err := connection.New("127.0.0.1:"+port, spec, reader, writer, connection.SendTimeout(patience))
	if err != nil {
		return "", err
	}
	if err := made.Connect(); err != nil {
		return "", err
	}
	clients[port] = made
	known["client "+port] = spec
	return "ok", nil
}

func send(port, line string) (string, error) {
	message, err := read(known["client "+port], line)
	if err != nil {
		return "", err
	}
	got, err := clients[port].Send(message)
	if err != nil {
		return "", err
	}
	return show(got), nil
}

func closing(said []string) (string, error) {
	if said[0] == "seen" {
		lock.Lock()
		defer lock.Unlock()
		return strings.Join(seen[said[1]], "\t"), nil
	}
	err := clients[said[1]].Close()
	delete(clients, said[1])
	return "ok", err
}
