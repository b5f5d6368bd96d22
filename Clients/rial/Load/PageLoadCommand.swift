import ArgumentParser
import AsyncHTTPClient
import CaptureProtocol
import Foundation
import RialClient

/// Reads a verification page many times and measures.
struct PageLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load-pages",
        abstract: "Reads a verification page at a steady rate, and measures.",
        discussion: """
            Sends a capture first, unless one is named. Prints JSON; page_ms is from the request to the last byte of the page, in \
            milliseconds, after three seconds of which nothing counts.
            """)

    @Option(help: "Pages a second, asked for whether or not earlier ones are there.")
    var rate = 50.0
    @Option(help: "How long to read.")
    var seconds = 20
    @Option(help: "The id of a capture that is complete.")
    var capture: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        guard rate > 0, rate <= 10_000 else { throw ValidationError("--rate is above 0 and at most 10000.") }
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400.") }
        guard capture.map({ CaptureID($0) != nil }) ?? true else { throw ValidationError("--capture is a UUID.") }
    }

    func run() async throws {
        try await Measurement.run(connections: PageRun.maximumInFlight) { httpClient in
            let client = try server.client().with(httpClient: httpClient).with(retries: .none)
            let id = try await subject(client)
            Console.progress("reading /verify/\(id), \(rate) times a second for \(seconds) s …")
            let run = PageRun(client: client, id: id)
            // Connections are made and caches filled before anything counts.
            _ = try await run.steady(rate: rate, for: .seconds(3))
            return try await run.steady(rate: rate, for: .seconds(seconds))
        }
    }

    /// The capture that was named, or one that is sent now and waited for.
    private func subject(_ client: APIClient) async throws -> CaptureID {
        if let id = capture.flatMap(CaptureID.init) { return id }
        let session = DeviceSession(try await enrolmentOptions.enrolment(client).run(model: Enrolment.defaultModel))
        let upload = try await LoadSource(size: .full).draft(0).upload(model: session.model, binding: .v2, session: session)
        let id = try await client.send(upload, signer: session).captureID
        _ = try await client.watch(id, limit: .seconds(60))
        return id
    }
}
