// Run by: forewarn with --fleet ../fleet.toml -- go test
package handler

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"testing"
	"time"
)

// api asks Forewarn's control plane, which `forewarn with` has named in the environment.
func api[T any](t *testing.T, method, path string, body any) (answer T) {
	t.Helper()
	var text []byte
	if body != nil {
		text, _ = json.Marshal(body)
	}
	request, err := http.NewRequest(method, os.Getenv("FOREWARN_SERVER")+"/forewarn/v1"+path, bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer "+os.Getenv("FOREWARN_TOKEN"))
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	told, _ := io.ReadAll(response.Body)
	if response.StatusCode >= 400 {
		t.Fatalf("%s %s: %s", method, path, told)
	}
	if err := json.Unmarshal(told, &answer); err != nil {
		t.Fatal(err)
	}
	return answer
}

type event struct {
	Id, Phase string
	Approvals []any
}

func look(t *testing.T, id string) event { return api[event](t, "GET", "/events/"+id, nil) }

func schedule(t *testing.T, machine string) event {
	asked := map[string]any{"type": "Reboot", "machines": []string{machine}}
	return api[struct{ Events []event }](t, "POST", "/events", asked).Events[0]
}

func advance(t *testing.T, by string) {
	api[any](t, "POST", "/clock/advance", map[string]string{"by": by})
}

func until(t *testing.T, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); !holds(); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it never happened: %s", what)
		}
	}
}

func TestItDrainsAndApprovesItsOwnEventsOnly(t *testing.T) {
	machine := api[struct {
		MetadataUrl string `json:"metadata_url"`
	}](t, "GET", "/machines/db-0", nil)
	var drained []string
	handler := Handler{Metadata: machine.MetadataUrl, Machine: "db-0", Pause: 20 * time.Millisecond,
		Drain: func(event Event) error { drained = append(drained, event.EventId); return nil }}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { handler.Run(ctx); close(done) }()
	defer func() { stop(); <-done }()

	others, own := schedule(t, "db-1"), schedule(t, "db-0")
	until(t, "its own event is approved", func() bool { return len(look(t, own.Id).Approvals) > 0 })
	advance(t, "15m") // a quarter of an hour, at once

	if phase := look(t, own.Id).Phase; phase != "Completed" {
		t.Errorf("its own event is %s", phase)
	}
	if found := look(t, others.Id); len(found.Approvals) != 0 || found.Phase == "Scheduled" {
		t.Errorf("the other's event should have started by itself: %v", found)
	}
	stop()
	<-done
	if len(drained) != 1 || drained[0] != own.Id {
		t.Errorf("it drained for %v", drained)
	}
}
