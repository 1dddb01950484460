// A client as people wrote them for .NET Framework: WebClient for both calls, the Metadata header only on the GET,
// Newtonsoft.Json with the incarnation held in a string. Usage: webclient.exe URL; approves everything it sees.
using System;
using System.Collections.Generic;
using System.Net;
using Newtonsoft.Json;

public class Document
{
    public string DocumentIncarnation;
    public List<Announced> Events { get; set; }
}

public class Announced
{
    public string EventId { get; set; }
    public string EventStatus { get; set; }
    public string EventType { get; set; }
    public string ResourceType { get; set; }
    public List<string> Resources { get; set; }
    public DateTime? NotBefore { get; set; }
}

public static class Program
{
    public static int Main(string[] arguments)
    {
        var url = arguments[0];
        string json;
        using (var reader = new WebClient())
        {
            reader.Headers.Add("Metadata", "true");
            json = reader.DownloadString(new Uri(url));
        }
        var document = JsonConvert.DeserializeObject<Document>(json);
        var requests = new List<object>();
        foreach (var announced in document.Events)
        {
            Console.WriteLine(announced.EventType + " " + announced.EventStatus + " " + string.Join(",", announced.Resources));
            requests.Add(new { EventId = announced.EventId });
        }
        if (requests.Count == 0) return 0;
        var approval = JsonConvert.SerializeObject(
            new { DocumentIncarnation = document.DocumentIncarnation, StartRequests = requests });
        using (var writer = new WebClient())
        {
            writer.Headers.Add("Content-Type", "application/json");
            writer.UploadString(url, approval);
        }
        return 0;
    }
}
