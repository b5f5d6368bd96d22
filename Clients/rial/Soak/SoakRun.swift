import Blocking
import CaptureKit
import CaptureProtocol
import Foundation
import MediaStore
import RialClient

/// Simulates devices that retry until they get a response.
struct SoakRun: Sendable {
    /// After this number of captures a new device is registered, so that registrations are exposed to faults as well.
    private static let capturesPerDevice = 40

    let client: APIClient
    let enrolment: Enrolment
    private let source = FreshSource()
    let drain: Duration
    private let ledger = SoakLedger()

    init(client: APIClient, enrolment: Enrolment, drain: Duration) {
        self.client = client
        self.enrolment = enrolment
        self.drain = drain
    }

    /// Sends a capture every `1 / rate` seconds, or later if the device is still sending its last one.
    func send(devices: Int, rate: Double, for duration: Duration) async throws -> SoakLedger {
        var sessions: [DeviceSession] = []
        for _ in 0..<devices { sessions.append(try await register()) }
        Console.progress("\(devices) devices registered; sending for \(duration.components.seconds) s …")
        let start = ContinuousClock.now
        let end = start + duration + drain
        await withDiscardingTaskGroup { group in
            let queues = sessions.map { session in
                let (numbers, queue) = AsyncStream.makeStream(of: Int.self)
                group.addTask { await work(session, numbers, until: end) }
                return queue
            }
            for await number in Pace(rate: rate, for: duration, from: start) {
                queues[number % queues.count].yield(number)
                if number % max(Int(rate * 30), 1) == 0 { Console.progress(await ledger.line(since: start)) }
            }
            for queue in queues { queue.finish() }
        }
        return ledger
    }

    /// Sends one queue of captures in order; occasionally changes to a new device.
    private func work(_ first: DeviceSession, _ numbers: AsyncStream<Int>, until end: ContinuousClock.Instant) async {
        var session = first
        var count = 0
        for await number in numbers {
            count += 1
            if count % Self.capturesPerDevice == 0, let next = await registered() { session = next }
            await send(number, session, until: end)
        }
    }

    private func registered() async -> DeviceSession? {
        do {
            return try await register()
        } catch {
            await ledger.gaveUp(error)
            return nil
        }
    }

    /// Registers one device. Retries send the same body, since a key can be attested only once.
    private func register() async throws -> DeviceSession {
        let session = DeviceSession(try await enrolment.run(model: Enrolment.defaultModel))
        await ledger.registered(await session.id)
        return session
    }

    private func send(_ number: Int, _ session: DeviceSession, until end: ContinuousClock.Instant) async {
        do {
            let draft = try await source.current().draft(number)
            let upload = try await draft.upload(model: session.model, binding: .v2, session: session)
            let digest = try await draft.photo.digest()
            await ledger.began(digest)
            let accepted = try await persist(until: end) { try await client.send(upload, signer: session) }
            await ledger.accepted(accepted.captureID, photo: digest)
        } catch {
            await ledger.gaveUp(error)
        }
    }

    /// Retries until it succeeds, as long as failures are transient.
    private func persist<T: Sendable>(until end: ContinuousClock.Instant, _ body: () async throws -> T) async throws -> T {
        var backoff = Backoff(initial: 0.25, limit: 5)
        while true {
            do {
                return try await body()
            } catch let failure as APIFailure where failure.isTransient && ContinuousClock.now < end {
                await ledger.triedAgain(failure)
                try await Task.sleep(for: backoff.next())
            }
        }
    }
}

/// The room, rendered again every five minutes: the time in a photo and that of its capture may differ by at most 15 minutes (SPEC §3).
private actor FreshSource {
    private static let lifetime: Duration = .seconds(300)
    private var latest: (source: LoadSource, made: ContinuousClock.Instant)?

    func current() throws -> LoadSource {
        if let latest, latest.made + Self.lifetime > .now { return latest.source }
        let source = try LoadSource(size: .small)
        latest = (source, .now)
        return source
    }
}
