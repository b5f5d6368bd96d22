import ArgumentParser
import AsyncHTTPClient
import CaptureProtocol
import Foundation
import RialClient

/// Requests a verification page many times and measures response times.
struct PageLoadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "load-pages",
        abstract: "Reads a verification page at a steady rate, and measures times.",
        discussion: """
            Sends a capture first, unless one is given. Prints JSON; page_ms is from the request to the last byte of the page, in \
            milliseconds. The first three seconds do not count.
            """)

    @Option(help: "Pages per second, requested even if earlier ones have not arrived.")
    var rate = 50.0
    @Option(help: "How long to read, in seconds.")
    var seconds = 20
    @Option(help: "The id of a capture that is complete.")
    var capture: String?

    @OptionGroup var server: ServerOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        guard (0.001...10_000).contains(rate) else { throw ValidationError("--rate is 0.001 to 10000.") }
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400.") }
        guard capture.map({ CaptureID($0) != nil }) ?? true else { throw ValidationError("--capture is a UUID.") }
    }

    func run() async throws {
        try await Measurement.run(connections: PageRun.maximumInFlight) { httpClient in
            let client = try server.client().with(httpClient: httpClient).with(retries: .none)
            let id = try await subject(client)
            Console.progress("reading \(PagePath.capture(id)), \(rate) times a second for \(seconds) s …")
            let run = PageRun(client: client, id: id)
            // Warm-up: opens connections and fills caches.
            _ = try await run.steady(rate: rate, for: .seconds(3))
            return try await run.steady(rate: rate, for: .seconds(seconds))
        }
    }

    /// The given capture, or a new one, once it is complete.
    private func subject(_ client: APIClient) async throws -> CaptureID {
        if let id = capture.flatMap(CaptureID.init) { return id }
        let session = DeviceSession(try await enrolmentOptions.enrolment(client).run(model: Enrolment.defaultModel))
        let upload = try await LoadSource(size: .full).draft(0).upload(model: session.model, binding: .v2, session: session)
        let id = try await client.send(upload, signer: session).captureID
        _ = try await client.watch(id, timeout: .seconds(60))
        return id
    }
}
