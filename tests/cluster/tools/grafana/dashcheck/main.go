// Command dashcheck judges dashboards by Grafana's own schema: unknown fields and panels, fields
// that are missing or of another type, and numbers out of their range.
//
//	dashcheck FILE...
//
// It prints a finding per line, and its exit code is 1 if there is one.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/grafana/grafana-foundation-sdk/go/cog"
	"github.com/grafana/grafana-foundation-sdk/go/cog/plugins"
	"github.com/grafana/grafana-foundation-sdk/go/dashboard"
)

func main() {
	plugins.RegisterDefaultPlugins()
	found := false
	for _, file := range os.Args[1:] {
		raw, err := os.ReadFile(file)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		for _, finding := range findings(raw) {
			found = true
			fmt.Printf("%s: %s\n", file, finding)
		}
	}
	if found {
		os.Exit(1)
	}
}

func findings(raw []byte) []string {
	// The strict reader answers an error without text where it finds nothing, and leaves panels
	// out, so the constraints are judged on what the other reader gives.
	var strict, read dashboard.Dashboard
	found := lines(strict.UnmarshalJSONStrict(raw))
	if err := json.Unmarshal(raw, &read); err != nil {
		return append(found, err.Error())
	}
	for _, one := range read.Panels {
		if one.Panel == nil {
			continue
		}
		if _, known := cog.ConfigForPanelcfgVariant(one.Panel.Type); !known {
			found = append(found, fmt.Sprintf("Grafana has no panel of type '%s'", one.Panel.Type))
		}
	}
	return append(found, lines(read.Validate())...)
}

func lines(err error) []string {
	if err == nil || err.Error() == "" {
		return nil
	}
	return strings.Split(err.Error(), "\n")
}
