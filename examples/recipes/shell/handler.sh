#!/bin/sh
# Prepares one machine for what is about to happen to it: handler.sh METADATA_URL MACHINE DRAIN_COMMAND…
# An event about this machine is approved once the command, given the event's id, has succeeded.
url="$1/metadata/scheduledevents?api-version=2020-07-01"
machine=$2
shift 2

ask() { curl --silent --fail --max-time 10 --header Metadata:true "$@" "$url"; }

# Of the document, one event a line, the ids of those that are about this machine and have not begun.
mine() {
  sed 's/{"EventId"/\n&/g' | grep '"EventStatus":"Scheduled"' | grep "\"Resources\":\[[^]]*\"$machine\"" |
    sed 's/.*"EventId":"\([^"]*\)".*/\1/'
}

drained=" "
while sleep "${PAUSE:-1}"; do
  for event in $(ask | mine); do
    case $drained in *" $event "*) continue ;; esac
    "$@" "$event" && ask --data "{\"StartRequests\": [{\"EventId\": \"$event\"}]}" && drained="$drained$event "
  done
done
