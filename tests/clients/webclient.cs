// A client as people wrote them for .NET Framework: a new WebClient for each call, the Metadata header only on the GET,
// Newtonsoft.Json with the incarnation held in a string. It reads and approves everything it sees, two times over.
// Usage: webclient.exe URL [ids-only]. The oldest clients sent only ids, and no incarnation.
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
    public static void Main(string[] arguments)
    {
        var url = arguments[0];
        var idsOnly = arguments.Length > 1 && arguments[1] == "ids-only";
        for (var round = 0; round < 2; round++)
        {
            var document = JsonConvert.DeserializeObject<Document>(Read(url));
            var requests = new List<object>();
            foreach (var announced in document.Events)
            {
                Console.WriteLine(announced.EventType + " " + announced.EventStatus + " " + string.Join(",", announced.Resources));
                requests.Add(new { EventId = announced.EventId });
            }
            if (requests.Count == 0) continue;
            Approve(url, JsonConvert.SerializeObject(
                idsOnly
                    ? (object) new { StartRequests = requests }
                    : new { DocumentIncarnation = document.DocumentIncarnation, StartRequests = requests }));
        }
    }

    static string Read(string url)
    {
        using (var client = new WebClient())
        {
            client.Headers.Add("Metadata", "true");
            return client.DownloadString(new Uri(url));
        }
    }

    static void Approve(string url, string approval)
    {
        using (var client = new WebClient())
        {
            client.Headers.Add("Content-Type", "application/json");
            client.UploadString(url, approval);
        }
    }
}
