import ArgumentParser
import AsyncHTTPClient
import Foundation
import Logging
import ObjectStorage
import RialClient

/// Sends captures for a long time while faults are injected into the stack, and then checks each of them.
struct SoakCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "soak",
        abstract: "Sends captures at a steady rate, retrying as devices do, and checks each of them in the end.",
        discussion: """
            For `make soak`, which meanwhile kills, stops and disconnects parts of the stack. Every accepted capture has to be complete, \
            once, with its original in the store. Reads operators' settings: RIAL_DATABASE_URL and RIAL_S3_…. Prints JSON; exits with \
            code 0 only if everything is right.
            """)

    @Option(help: "Captures per second, of all devices together.")
    var rate = 1.0
    @Option(help: "How long to send, in seconds.")
    var seconds: Int
    @Option(help: "Devices that take turns; each sends one capture after the other.")
    var devices = 4
    @Option(help: "How long, in seconds, to retry and to wait for unfinished captures after the last one was sent.")
    var drain = 600

    @OptionGroup var server: ServerOptions
    @OptionGroup var enrolmentOptions: EnrolmentOptions

    func validate() throws {
        guard (0.001...100).contains(rate) else { throw ValidationError("--rate is 0.001 to 100.") }
        guard (1...86_400).contains(seconds) else { throw ValidationError("--seconds is 1 to 86400.") }
        guard (1...64).contains(devices) else { throw ValidationError("--devices is 1 to 64.") }
        guard (0...7200).contains(drain) else { throw ValidationError("--drain is 0 to 7200.") }
    }

    func run() async throws {
        let settings = OperatorSettings()
        let (databaseURL, storage) = (try settings.databaseURL(), try settings.storage())
        try await Measurement.run(connections: devices * 2) { httpClient in
            let client = try server.client().with(httpClient: httpClient)
            let registering = client.with(retries: RetryPolicy(attempts: 200, maximumDelay: .seconds(10)))
            let run = SoakRun(
                client: client.with(retries: .none), enrolment: try enrolmentOptions.enrolment(registering),
                drain: .seconds(drain))
            let ledger = try await run.send(devices: devices, rate: rate, for: .seconds(seconds))
            let audit = SoakAudit(
                databaseURL: databaseURL,
                storage: S3Client(configuration: storage, httpClient: httpClient, logger: Logger(label: "rial-soak")))
            return try await audit.report(ledger, within: .seconds(drain))
        }
    }
}
