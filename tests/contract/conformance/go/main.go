// The program asks a MySQL server by go-sql-driver: a request a line, an answer a line, both JSON.
// Statements with values go by the binary protocol. Values of rows are written in hexadecimal.
package main

import (
	"bufio"
	"bytes"
	"context"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"log"
	"os"

	"github.com/go-sql-driver/mysql"
)

type request struct {
	Statement string `json:"statement"`
	Values    []any  `json:"values"`
}

type refusal struct {
	Number uint16 `json:"number"`
	Text   string `json:"text"`
}

type answer struct {
	Rows  [][]*string `json:"rows"`
	Error *refusal    `json:"error,omitempty"`
}

func main() {
	database, err := sql.Open("mysql", os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	defer database.Close()
	// One session: variables and transactions are its own.
	session, err := database.Conn(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	answers := json.NewEncoder(os.Stdout)
	requests := bufio.NewScanner(os.Stdin)
	for requests.Scan() {
		asked, err := parsed(requests.Bytes())
		if err != nil {
			log.Fatal(err)
		}
		if err := answers.Encode(ask(session, asked)); err != nil {
			log.Fatal(err)
		}
	}
}

func parsed(line []byte) (request, error) {
	var asked request
	decoder := json.NewDecoder(bytes.NewReader(line))
	decoder.UseNumber()
	if err := decoder.Decode(&asked); err != nil {
		return asked, err
	}
	for place, value := range asked.Values {
		if number, ok := value.(json.Number); ok {
			whole, err := number.Int64()
			if err != nil {
				return asked, err
			}
			asked.Values[place] = whole
		}
	}
	return asked, nil
}

func ask(session *sql.Conn, asked request) answer {
	read, err := rows(session, asked)
	var refused *mysql.MySQLError
	switch {
	case errors.As(err, &refused):
		return answer{Error: &refusal{refused.Number, refused.Message}}
	case err != nil:
		log.Fatal(err)
	}
	return answer{Rows: read}
}

// rows are those of all results, one after the other.
func rows(session *sql.Conn, asked request) ([][]*string, error) {
	found, err := session.QueryContext(context.Background(), asked.Statement, asked.Values...)
	if err != nil {
		return nil, err
	}
	defer found.Close()
	read := [][]*string{}
	for more := true; more; more = found.NextResultSet() {
		columns, err := found.Columns()
		if err != nil {
			return nil, err
		}
		for found.Next() {
			row, err := row(found, len(columns))
			if err != nil {
				return nil, err
			}
			read = append(read, row)
		}
	}
	return read, found.Err()
}

func row(found *sql.Rows, width int) ([]*string, error) {
	values, places := make([][]byte, width), make([]any, width)
	for number := range values {
		places[number] = &values[number]
	}
	if err := found.Scan(places...); err != nil {
		return nil, err
	}
	texts := make([]*string, width)
	for number, value := range values {
		if value != nil {
			text := hex.EncodeToString(value)
			texts[number] = &text
		}
	}
	return texts, nil
}
