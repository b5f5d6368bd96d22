import Blocking
import Foundation
import MediaStore
import RialClient

/// Devices that send until they are answered.
struct SoakRun: Sendable {
    /// Now and then another device is registered, so that registrations meet the faults as well.
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

    /// Sends a capture every `1 / rate` seconds, or later where a device is still at its last one.
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

    /// One device's captures, in order; after some of them it is another device's.
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

    /// Registers one device; its body stays the same until it is answered, as a key can be attested only once.
    private func register() async throws -> DeviceSession {
        let session = DeviceSession(try await enrolment.run(model: Enrolment.defaultModel))
        await ledger.registered(await session.id)
        return session
    }

    private func send(_ number: Int, _ session: DeviceSession, until end: ContinuousClock.Instant) async {
        do {
            let draft = try await source.current().draft(number)
            let upload = try await draft.upload(model: session.model, binding: .v2, session: session)
            let digest = try draft.photo.digest()
            await ledger.began(digest)
            let accepted = try await persist(until: end) { try await client.send(upload, signer: session) }
            await ledger.accepted(accepted.captureID, photo: digest)
        } catch {
            await ledger.gaveUp(error)
        }
    }

    /// Tries until it succeeds, as long as the failure is one that a device would take for passing.
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

/// The room, rendered anew every five minutes: the time in a photo and that of its capture lie at most 15 minutes apart (SPEC §3).
private actor FreshSource {
    private static let life: Duration = .seconds(300)
    private var latest: (source: LoadSource, made: ContinuousClock.Instant)?

    func current() throws -> LoadSource {
        if let latest, latest.made + Self.life > .now { return latest.source }
        let source = try LoadSource(size: .small)
        latest = (source, .now)
        return source
    }
}
