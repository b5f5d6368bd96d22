import CaptureProtocol
import Foundation

/// Keeps captures until the server has them: adds them to the store, sends them one at a time in order of capture, those that broke off
/// after the others, and tells what happens.
///
/// ``run(untilEmpty:)`` sends while it holds the store's lock; in other processes it waits for it. All other methods work in any process.
public actor CaptureQueue {
    let store: CaptureStore
    let signing: any CaptureSigning
    let transport: any HTTPTransport
    let connectivity: any Connectivity
    let clock: any WallClock

    var schedule = QueueSchedule()
    var clockOffset = ClockOffset.none
    var histories: [LocalID: UploadHistory] = [:]
    /// When the server, or something before it, turned out not to know uploads that resume.
    var plainSince: Date?
    /// Attempts without an answer, since the last answer, network or person.
    var failedAttempts = 0
    /// Failures of the disk in a row that kept captures from being signed: assertions that could not be kept, files not read or replaced.
    var failedFiles = 0
    /// Captures that are being withdrawn.
    var withdrawals: Set<LocalID> = []
    private var progress: (id: LocalID, sent: Int64)?
    private var observers = Signals()
    private var wakes = Signals()

    public init(
        store: CaptureStore, signing: any CaptureSigning, transport: any HTTPTransport, connectivity: any Connectivity = AlwaysConnected(),
        clock: any WallClock = SystemWallClock()
    ) {
        self.store = store
        self.signing = signing
        self.transport = transport
        self.connectivity = connectivity
        self.clock = clock
    }

    /// Adds a capture. It is durable when this returns, with or without its assertion.
    @discardableResult
    public func add(_ content: some CapturedPhoto) async throws -> StoredCapture {
        let capture = try await store.add(content, assert: assertion(over:))
        changed()
        return capture
    }

    /// Adds a capture in privacy mode: photo and depth map stay in the store. Durable when this returns.
    @discardableResult
    public func add(_ content: PrivateCapture) async throws -> StoredCapture {
        let capture = try await store.add(content, assert: assertion(over:))
        changed()
        return capture
    }

    /// Adds a capture in the mode in which it was processed.
    @discardableResult
    public func add(_ capture: ProcessedCapture) async throws -> StoredCapture {
        switch capture {
        case .full(let frame): try await add(frame)
        case .hashOnly(let capture): try await add(capture)
        }
    }

    nonisolated func assertion(over clientDataHash: ContentDigest) async -> CaptureStore.Assertion {
        switch await signing.assertion(over: clientDataHash) {
        case .made(let assertion, let device): .made(assertion, by: device)
        case .later, .needsRegistration: .later
        case .unsupported: .none
        }
    }
}

// Sending

extension CaptureQueue {
    /// Sends until the task is cancelled, or with `untilEmpty` until nothing is left that can be sent without a person, and the results of
    /// captures whose photo and depth map are due to go have been asked for once.
    ///
    /// - Throws: ``StoreError``, ``FileError``, `CancellationError`. Whatever happens to a single capture is recorded with it instead.
    public func run(untilEmpty: Bool = false) async throws {
        let lock = try await senderLock()
        defer { lock.unlock() }
        try await store.resetUploading()
        store.failPoints.reached("queue.reset")
        try await store.returnLentBodies()
        try await withThrowingTaskGroup(of: Void.self) { group in
            defer { group.cancelAll() }
            group.addTask { [connectivity] in
                for await _ in connectivity.connections() { await self.networkIsBack() }
            }
            try await send(untilEmpty: untilEmpty)
        }
    }

    private func send(untilEmpty: Bool) async throws {
        var lastExpiry: Date?
        var asked: Set<LocalID> = []
        while true {
            try Task.checkCancellation()
            let wake = wakes.begin()
            defer { wakes.end(wake) }
            let now = clock.now
            do {
                if lastExpiry.map({ abs(now.timeIntervalSince($0)) > 3600 }) ?? true {
                    try await store.expire(at: now)
                    try await recoverRecordings()
                    lastExpiry = now
                }
                let captures = try await capturesToSend()
                let isEmpty = untilEmpty && !schedule.hasWork(captures)
                // Without the results of these a store that is only emptied would fill up for good.
                let left = isEmpty ? captures.filter { store.hasPassedRetention($0, at: now) && !asked.contains($0.id) } : captures
                // Not `now`: a wait that began while this read the store began after that, as if the clock had been set back.
                switch schedule.next(left, at: clock.now, isDue: { store.hasPassedRetention($0, at: now) }) {
                case .makeAssertion(let id): try await makeAssertion(id)
                case .send(let id): try await attempt(id)
                case .askResult(let id):
                    asked.insert(id)
                    try await askResult(id)
                    // What the server has just said that it has may go now.
                    try await store.expire(at: clock.now)
                case .wait(let until):
                    if isEmpty { return }
                    try await wait(until: until, or: wake)
                    continue
                }
            } catch StoreError.unknownCapture {
                // Deleted meanwhile.
            } catch StoreError.notAllowed {
                // Changed meanwhile, by another process perhaps: what it needs now is seen in the next turn.
            }
            notify()
        }
    }

    /// One process sends. The others look again each second.
    private func senderLock() async throws -> FileLock {
        while true {
            if let lock = try FileLock.tryLock(store.sendLock) { return lock }
            try await clock.sleep(for: .seconds(1))
        }
    }

    /// Returns at the time, when something happens in this process, or after a second: other processes add captures.
    private func wait(until time: Date?, or wake: Signal) async throws {
        let seconds = min(max(time.map { $0.timeIntervalSince(clock.now) } ?? 1, 0.001), 1)
        try await wake.wait(atMost: .seconds(seconds), on: clock)
    }

    func networkIsBack() {
        schedule.endEarly()
        failedAttempts = 0
        wake()
    }
}

// Reading

extension CaptureQueue {
    /// - Throws: ``StoreError`` `unknownCapture`.
    public func capture(_ id: LocalID) async throws -> StoredCapture { try await store.capture(id) }

    /// Writes a part of a capture to a plain file, as ``CaptureStore/export(_:of:to:)``.
    public nonisolated func export(_ kind: SealedKind, of id: LocalID, to path: String) throws { try store.export(kind, of: id, to: path) }

    /// A part of a capture as a whole; for pieces see ``CaptureStore/content(_:of:)``.
    public func content(_ kind: SealedKind, of id: LocalID) throws -> [UInt8] {
        let reader = try store.content(kind, of: id)
        return try reader.read(count: Int(reader.sizeBytes), at: 0)
    }
}

// What a person may do

extension CaptureQueue {
    /// Tries a failed capture, or an assertion that failed, again, and sends a capture once more that the server reports failed or does not
    /// know any more, if photo or video and depth are still here. Other captures that wait are tried now, as by ``resume()``.
    public func retry(_ id: LocalID) async throws {
        try await store.database.update(id) { row in
            row.failures = 0
            row.assertionAttempts = 0
            // Its person wants it on the server after all.
            if row.state != .uploaded || row.facts.unknownOnServer == true { row.facts.withdrawalWanted = nil }
            switch row.state {
            case .failed: row.state = .pending
            case .assertionFailed: row.state = .assertionPending
            case .uploaded: row.sendAgain()
            case .pending, .assertionPending, .uploading: break
            }
        }
        histories[id] = nil
        schedule.tryStoppedDevices()
        networkIsBack()
        changed()
    }

    /// Sends a capture whose assertion is missing without it. The server then cannot prove which device made it.
    /// - Throws: ``StoreError`` `needsAssertion` in privacy mode; `notAllowed`, `unknownCapture`.
    public func sendWithoutAssertion(_ id: LocalID) async throws {
        try await store.database.update(id) { row in
            guard row.kind.mode == .full else { throw StoreError.needsAssertion }
            guard [.assertionPending, .assertionFailed].contains(row.state) else { throw StoreError.notAllowed(row.state, to: .pending) }
            row.facts.goesWithoutAssertion = true
            row.state = .pending
        }
        changed()
    }

    /// Deletes a capture here, and nothing of it on the server. One that is not uploaded may be there all the same if an answer was lost:
    /// ``withdraw(_:)`` finds out, and afterwards nobody here can.
    /// - Throws: ``StoreError`` `isBeingSent`, until ``endBackgroundUpload(named:_:)`` or the next ``run(untilEmpty:)`` also if its body is
    ///   lent; `unknownCapture`.
    public func delete(_ id: LocalID) async throws {
        try await store.delete(id)
        changed()
    }

    /// Tries all that wait now, as when the app comes to the foreground. Assertions that failed are tried again too, and a capture of each
    /// device that was revoked, which may have been restored.
    public func resume() async throws {
        for capture in try await store.database.captures(in: .assertionFailed) { try await retry(capture.id) }
        schedule.tryStoppedDevices()
        networkIsBack()
    }
}

// Observing

extension CaptureQueue {
    /// The queue now.
    public func snapshot() async throws -> QueueSnapshot {
        let (captures, damaged) = try await store.database.contents()
        return QueueSnapshot(
            captures: captures.map { capture in
                QueuedCapture(
                    capture: capture, sentBytes: progress?.id == capture.id ? progress?.sent : nil,
                    storedBytes: capture.facts.upload?.storedBytes, resumedAt: capture.facts.resumedAt,
                    totalBytes: SealedKind.sent.reduce(0) { $0 + (capture.sizes[$1] ?? 0) },
                    nextTry: schedule.nextTry(of: capture))
            },
            usage: try await store.usage(), waitsFor: schedule.pause?.failure, revokedDevices: schedule.stoppedDevices,
            damaged: damaged)
    }

    /// A snapshot at once, and one after each change; changes by other processes within a second. Slow readers miss snapshots in between.
    public nonisolated var snapshots: AsyncThrowingStream<QueueSnapshot, any Error> {
        AsyncThrowingStream(bufferingPolicy: .bufferingNewest(1)) { continuation in
            let task = Task {
                do {
                    var last: QueueSnapshot?
                    while true {
                        let snapshot = try await self.snapshot(after: last)
                        continuation.yield(snapshot)
                        last = snapshot
                    }
                } catch is CancellationError {
                    continuation.finish()
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }

    /// The next snapshot that is another one: at once, or when it has changed.
    private func snapshot(after last: QueueSnapshot?) async throws -> QueueSnapshot {
        while true {
            try Task.checkCancellation()
            let change = observers.begin()
            defer { observers.end(change) }
            let snapshot = try await self.snapshot()
            if snapshot != last { return snapshot }
            // Other processes tell nobody here.
            try await change.wait(atMost: .seconds(1), on: SystemWallClock())
        }
    }

    func wake() { wakes.send() }

    func changed() {
        wake()
        notify()
    }

    func note(_ sent: Int64?, of id: LocalID) {
        progress = sent.map { (id, $0) }
        notify()
    }

    private func notify() { observers.send() }
}
