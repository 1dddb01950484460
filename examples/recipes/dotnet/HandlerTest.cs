// Run by: forewarn with --fleet ../fleet.toml -- dotnet run   (or: mono HandlerTest.exe)
using System;
using System.Collections.Generic;
using System.Linq;
using System.Net;
using System.Threading;
using System.Threading.Tasks;
using Newtonsoft.Json.Linq;

public static class HandlerTest
{
    // Asks Forewarn's control plane, which `forewarn with` has named in the environment.
    static JToken Api(string path, string body = null)
    {
        using (var http = new WebClient())
        {
            var url = Environment.GetEnvironmentVariable("FOREWARN_SERVER") + "/forewarn/v1" + path;
            http.Headers.Add("Authorization", "Bearer " + Environment.GetEnvironmentVariable("FOREWARN_TOKEN"));
            http.Headers.Add("Content-Type", "application/json");
            return JToken.Parse(body == null ? http.DownloadString(url) : http.UploadString(url, body));
        }
    }

    static JToken Look(string id) { return Api("/events/" + id); }

    static string Schedule(string machine)
    {
        var body = "{\"type\": \"Reboot\", \"machines\": [\"" + machine + "\"]}";
        return (string)Api("/events", body)["events"][0]["id"];
    }

    static void Check(bool holds, string otherwise)
    {
        if (!holds) throw new Exception(otherwise);
    }

    static void Until(string what, Func<bool> holds)
    {
        for (var end = DateTime.UtcNow.AddSeconds(10); !holds(); Thread.Sleep(10))
            Check(DateTime.UtcNow < end, "it never happened: " + what);
    }

    public static void Main()
    {
        var metadata = (string)Api("/machines/db-0")["metadata_url"];
        var drained = new List<string>();
        var stop = new CancellationTokenSource();
        var handler = new Handler(
            metadata, "db-0", one => drained.Add((string)one["EventId"]), TimeSpan.FromMilliseconds(20));
        var running = Task.Run(() => handler.Run(stop.Token));

        var others = Schedule("db-1");
        var own = Schedule("db-0");
        Until("its own event is approved", () => Look(own)["approvals"].Any());
        Api("/clock/advance", "{\"by\": \"15m\"}"); // a quarter of an hour, at once

        Check((string)Look(own)["phase"] == "Completed", "its own event is " + Look(own)["phase"]);
        Check((string)Look(others)["phase"] != "Scheduled", "the other's event should have started by itself");
        Check(!Look(others)["approvals"].Any(), "it approved the other's event");
        stop.Cancel();
        running.Wait();
        Check(drained.SequenceEqual(new[] { own }), "it drained for " + string.Join(", ", drained));
        Console.WriteLine("it drains and approves its own events only: ok");
    }
}
