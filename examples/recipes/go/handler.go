// Package handler prepares one machine for what is about to happen to it.
package handler

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"time"
)

type Event struct {
	EventId, EventStatus, EventType string
	Resources                       []string
}

type Handler struct {
	Metadata string // http://169.254.169.254 on Azure
	Machine  string
	Pause    time.Duration // between two polls
	Drain    func(Event) error
}

// Run polls until the context ends. An event about this machine is approved once it has been drained.
func (h Handler) Run(ctx context.Context) {
	drained := map[string]bool{}
	for ctx.Err() == nil {
		for _, event := range h.poll(ctx) {
			mine := slices.Contains(event.Resources, h.Machine)
			if mine && event.EventStatus == "Scheduled" && !drained[event.EventId] && h.Drain(event) == nil {
				drained[event.EventId] = h.approve(ctx, event) == nil
			}
		}
		select {
		case <-ctx.Done():
		case <-time.After(h.Pause):
		}
	}
}

// What cannot be had now is asked for again: no events is not the same as no answer, but neither asks for an action.
func (h Handler) poll(ctx context.Context) []Event {
	var document struct{ Events []Event }
	answer, err := h.ask(ctx, http.MethodGet, nil)
	if err != nil {
		return nil
	}
	defer answer.Body.Close()
	if json.NewDecoder(answer.Body).Decode(&document) != nil {
		return nil
	}
	return document.Events
}

func (h Handler) approve(ctx context.Context, event Event) error {
	body, _ := json.Marshal(map[string]any{"StartRequests": []map[string]string{{"EventId": event.EventId}}})
	answer, err := h.ask(ctx, http.MethodPost, body)
	if err == nil {
		answer.Body.Close()
	}
	return err
}

func (h Handler) ask(ctx context.Context, method string, body []byte) (*http.Response, error) {
	url := h.Metadata + "/metadata/scheduledevents?api-version=2020-07-01"
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Metadata", "true")
	answer, err := http.DefaultClient.Do(request)
	if err == nil && answer.StatusCode != http.StatusOK {
		answer.Body.Close()
		err = fmt.Errorf("answered %s", answer.Status)
	}
	return answer, err
}
