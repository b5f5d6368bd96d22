import ArgumentParser
import AsyncHTTPClient
import Foundation
import RialClient

/// Sends many captures and measures rates and times.
struct LoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load",
        abstract: "Sends captures at a steady rate, or as fast as they are taken, and measures.",
        discussion: """
            Prints JSON; times in milliseconds. accepted_ms is from the start of an upload to its 201; complete_ms from receipt \
            to evidence by the server's clock; observed_ms from the 201 until the evidence was seen here. The server's rate \
            limits apply: start it with RIAL_LIMIT_CAPTURES_PER_HOUR=0 and the like.
            """)

    @Option(help: "Captures a second, sent whether or not earlier ones are done.")
    var rate: Double?
    @Option(help: "Instead of a rate: this many uploads at a time, each followed by the next.")
    var flood: Int?
    @Option(help: "How long to send.")
    var seconds: Int
    @Option(help: "small (640 × 480) or full (12 megapixels).")
    var size = LoadSize.full
    @Option(help: "Instead of photos, the video in this folder, as `rial video record` writes it, signed anew each time.")
    var video: String?
    @Option(help: "Devices that take turns.")
    var devices = 4
    @Flag(
        help: "With --rate, look for the evidence only when all is sent, as --flood does: the run is not slowed, observed_ms is missing.")
    var looksLater = false
    @Flag(help: "Send each capture as an upload that can be resumed, in one request.")
    var resumable = false
    @Option(help: "How long to wait for the last evidence, in seconds.")
    var drain = 60

    @OptionGroup var server: ServerOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        guard (rate == nil) != (flood == nil) else { throw ValidationError("Give either --rate or --flood.") }
        guard rate != nil || !looksLater else { throw ValidationError("--looks-later goes with --rate.") }
        if let rate { guard (0.001...10_000).contains(rate) else { throw ValidationError("--rate is 0.001 to 10000.") } }
        if let flood { guard (1...1024).contains(flood) else { throw ValidationError("--flood is 1 to 1024.") } }
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400.") }
        guard (1...64).contains(devices) else { throw ValidationError("--devices is 1 to 64.") }
        guard (0...3600).contains(drain) else { throw ValidationError("--drain is 0 to 3600.") }
    }

    func run() async throws {
        try await Measurement.run(connections: LoadRun.maximumInFlight) { httpClient in
            try await measure(try server.client().with(httpClient: httpClient))
        }
    }

    private func measure(_ client: APIClient) async throws -> LoadReport {
        let content = try content()
        var sessions: [DeviceSession] = []
        for _ in 0..<devices {
            sessions.append(DeviceSession(try await enrolmentOptions.enrolment(client).run(model: Enrolment.defaultModel)))
        }
        Console.progress("\(devices) devices registered, \(content.sizeBytes) bytes a capture; sending for \(seconds) s …")
        let run = LoadRun(client: client, content: content, sessions: sessions, isResumable: resumable, drain: .seconds(drain))
        if let flood { return await run.flood(concurrency: flood, for: .seconds(seconds)) }
        return await run.steady(rate: rate ?? 1, for: .seconds(seconds), looksLater: looksLater)
    }
}

extension LoadCommand {
    private func content() throws -> LoadRun.Content {
        guard let video else { return .photos(try LoadSource(size: size)) }
        return .video(try LoadVideo(folder: VideoFolder(path: video)))
    }
}

enum LoadSize: String, CaseIterable, ExpressibleByArgument {
    case small, full

    var photo: (width: Int, height: Int) { self == .small ? (640, 480) : (4032, 3024) }
}
