// Prepares one machine for what is about to happen to it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading;
using Newtonsoft.Json.Linq;

public class Handler
{
    readonly string url, machine;
    readonly Action<JToken> drain;
    readonly TimeSpan pause;

    // metadata: http://169.254.169.254 on Azure.
    public Handler(string metadata, string machine, Action<JToken> drain, TimeSpan pause)
    {
        url = metadata + "/metadata/scheduledevents?api-version=2020-07-01";
        this.machine = machine;
        this.drain = drain;
        this.pause = pause;
    }

    // Polls until the token is cancelled. An event about this machine is approved once it has been drained.
    public void Run(CancellationToken stop)
    {
        var drained = new HashSet<string>();
        do
        {
            try
            {
                foreach (var one in Mine(JObject.Parse(Ask(http => http.DownloadString(url)))))
                {
                    var id = (string)one["EventId"];
                    if (drained.Contains(id)) continue;
                    drain(one);
                    Approve(id);
                    drained.Add(id);
                }
            }
            catch (WebException error)
            {
                Console.Error.WriteLine("asked again in a moment: " + error.Message);
            }
        } while (!stop.WaitHandle.WaitOne(pause));
    }

    IEnumerable<JToken> Mine(JObject document)
    {
        return document["Events"].Where(one =>
            (string)one["EventStatus"] == "Scheduled" && one["Resources"].Any(name => (string)name == machine));
    }

    void Approve(string id)
    {
        var body = new JObject(new JProperty("StartRequests", new JArray(new JObject(new JProperty("EventId", id)))));
        Ask(http => http.UploadString(url, body.ToString()));
    }

    static string Ask(Func<WebClient, string> ask)
    {
        using (var http = new WebClient())
        {
            http.Headers.Add("Metadata", "true");
            return ask(http);
        }
    }
}
