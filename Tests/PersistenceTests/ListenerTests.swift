import Foundation
import Logging
import Persistence
import Synchronization
import TestSupport
import Testing

@Suite("Listener", .enabled(if: TestDatabase.isConfigured, TestDatabase.hint), .timeLimit(.minutes(1)))
struct ListenerTests {
    /// Starts to listen and returns the received notifications, with their latencies.
    private func listening(
        _ database: TestDatabase, channels: [String], _ body: (Heard) async throws -> Void
    ) async throws {
        let listener = PostgresListener(
            url: database.url, channels: channels, applicationName: database.schema, logger: Logger(label: "tests"))
        let heard = Heard()
        let listening = Task { for await channel in listener.notifications() { heard.note(channel) } }
        var failure: (any Error)?
        do { try await body(heard) } catch { failure = error }
        listening.cancel()
        // If this does not end, the test exceeds its time.
        await listening.value
        if let failure { throw failure }
    }

    private final class Heard: Sendable {
        private let all = Mutex<[(channel: String, time: ContinuousClock.Instant)]>([])
        func note(_ channel: String) { all.withLock { $0.append((channel, .now)) } }
        func count(_ channel: String) -> Int { all.withLock { $0.count { $0.channel == channel } } }
        var last: ContinuousClock.Instant? { all.withLock { $0.last?.time } }
    }

    @Test("hears a notification at once, and of its own channels only")
    func latency() async throws {
        try await TestDatabase.with { database in
            let channel = "Odd \"name\" " + database.schema
            try await listening(database, channels: [channel]) { heard in
                try await eventually("connected") { heard.count(channel) == 1 }
                let connection = try await database.connect()
                var latencies: [Duration] = []
                for round in 1...20 {
                    try await connection.query("SELECT pg_notify('other', '')")
                    let start = ContinuousClock.now
                    try await connection.query("SELECT pg_notify(\(channel), '')")
                    try await eventually("heard") { heard.count(channel) == 1 + round }
                    latencies.append(start.duration(to: try #require(heard.last)))
                }
                #expect(heard.count("other") == 0)
                #expect(latencies.sorted()[10] < .milliseconds(250), "median of \(latencies)")
                await connection.close()
            }
        }
    }

    @Test("announces each channel after every connection")
    func reconnects() async throws {
        try await TestDatabase.with { database in
            let channels = ["a_" + database.schema, "b_" + database.schema]
            try await listening(database, channels: channels) { heard in
                try await eventually("connected") { channels.allSatisfy { heard.count($0) == 1 } }
                try await database.endSessions()
                try await eventually("connected again") { channels.allSatisfy { heard.count($0) == 2 } }
                let connection = try await database.connect()
                try await connection.query("SELECT pg_notify(\(channels[1]), '')")
                try await eventually("heard") { heard.count(channels[1]) == 3 }
                await connection.close()
            }
        }
    }

    @Test("hears each payload where payloads are asked for")
    func payloads() async throws {
        try await TestDatabase.with { database in
            let channel = "c_" + database.schema
            let listener = PostgresListener(
                url: database.url, channels: [channel], applicationName: database.schema, logger: Logger(label: "tests"))
            let heard = Mutex<Set<String>>([])
            let listening = Task { for await message in listener.messages() { heard.withLock { _ = $0.insert(message.payload) } } }
            let connection = try await database.connect()
            // Nothing is heard of what was sent before the connection was there.
            try await eventually("connected") {
                try await connection.query("SELECT pg_notify(\(channel), 'first')")
                return heard.withLock { !$0.isEmpty }
            }
            for number in 0..<10 { try await connection.query("SELECT pg_notify(\(channel), \("\(number)"))") }
            try await eventually("heard") { heard.withLock { $0.count == 11 } }
            await connection.close()
            listening.cancel()
            await listening.value
        }
    }

    @Test("ends at once when it is cancelled while it waits")
    func cancelledWhileWaiting() async throws {
        try await TestDatabase.with { database in
            let channel = "d_" + database.schema
            var times: [Duration] = []
            for _ in 0..<5 {
                let listener = PostgresListener(
                    url: database.url, channels: [channel], applicationName: database.schema, logger: Logger(label: "tests"))
                let heard = Heard()
                let listening = Task { for await channel in listener.notifications() { heard.note(channel) } }
                defer { listening.cancel() }
                try await eventually("connected") { heard.count(channel) == 1 }
                // Its wait would go on for another 900 ms.
                try await Task.sleep(for: .milliseconds(100))
                let start = ContinuousClock.now
                listening.cancel()
                await listening.value
                times.append(start.duration(to: .now))
            }
            #expect(times.sorted()[2] < .milliseconds(400), "\(times)")
        }
    }

    /// Notes that anything is logged.
    private struct NotingLogHandler: LogHandler {
        let noted: Flag
        var logLevel = Logger.Level.trace
        var metadata: Logger.Metadata = [:]
        var metadataProvider: Logger.MetadataProvider?

        subscript(metadataKey key: String) -> Logger.Metadata.Value? {
            get { metadata[key] }
            set { metadata[key] = newValue }
        }

        func log(event: LogEvent) { noted.set() }
    }

    @Test("ends when cancelled, also while the server is away")
    func cancelledWhileAway() async throws {
        let failed = Flag()
        let listener = PostgresListener(
            url: "postgresql://rial@127.0.0.1:1/rial", channels: ["a"], applicationName: "tests",
            logger: Logger(label: "tests") { _ in NotingLogHandler(noted: failed) })
        let listening = Task { for await _ in listener.notifications() {} }
        try await eventually("it could not connect") { failed.isSet }
        listening.cancel()
        await listening.value
    }
}
