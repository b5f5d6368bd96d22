import CaptureKit
import CaptureProtocol
import Foundation
import RialClient

/// Sends one capture as a phone does: through the device library's store and queue, in a folder that goes afterwards.
struct QueuedSend {
    let client: APIClient
    let server: URL
    let session: DeviceSession
    /// After so long without an answer, or more of the capture on its way, it is given up: the command has somebody who waits.
    var timeout: Duration = .seconds(60)

    /// - Throws: ``APIFailure`` if the server refuses the capture or cannot be reached; errors of store and transport.
    func send(_ content: some CapturedPhoto) async throws -> AcceptedCapture {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("rial-send-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(at: folder) }
        let store = try await CaptureStore.open(
            in: folder.appendingPathComponent("store").path,
            secrets: FolderSecureStore(folder: folder.appendingPathComponent("keychain").path))
        let transport = try AsyncHTTPTransport(baseURL: server, trust: ServerTrust(pins: .none, isDevelopment: true))
        let result: Result<AcceptedCapture, any Error>
        do {
            let queue = CaptureQueue(store: store, signing: SessionSigning(session: session), transport: transport)
            result = .success(try await send(content, through: queue))
        } catch {
            result = .failure(error)
        }
        try await transport.shutdown()
        try store.close()
        return try result.get()
    }

    private func send(_ content: some CapturedPhoto, through queue: CaptureQueue) async throws -> AcceptedCapture {
        let id = try await queue.add(content).id
        let sent = try await withThrowingTaskGroup(of: StoredCapture?.self) { group in
            defer { group.cancelAll() }
            group.addTask {
                try await queue.run()
                return nil
            }
            group.addTask { try await self.settled(id, in: queue) }
            group.addTask {
                try await self.waitForTimeout(for: id, in: queue)
                throw Self.failure(try await queue.capture(id))
            }
            while let found = try await group.next() { if let found { return found } }
            throw CancellationError()
        }
        guard let capture = sent.serverID, let link = sent.facts.link else { throw Self.failure(sent) }
        return AcceptedCapture(captureID: capture, type: nil, status: try await status(of: capture), verificationURL: link)
    }

    /// A capture that the server had already may be finished. It has the capture, whether it can say so now or not.
    private func status(of capture: CaptureID) async throws -> CaptureStatus {
        do { return try await client.capture(capture).status } catch is APIFailure { return .processing }
    }

    /// Returns once the timeout is over.
    private func waitForTimeout(for id: LocalID, in queue: CaptureQueue) async throws {
        var sending = SendingTimeout(timeout, at: .now)
        var isOver = false
        while !isOver {
            try await Task.sleep(for: min(timeout / 10, .seconds(1)))
            let sent = try await queue.snapshot().captures.first { $0.capture.id == id }
            isOver = sending.isOver(sentBytes: max(sent?.sentBytes ?? 0, sent?.storedBytes ?? 0), at: .now)
        }
    }

    /// The capture once the server has it, or once only a person could help.
    private func settled(_ id: LocalID, in queue: CaptureQueue) async throws -> StoredCapture? {
        for try await snapshot in queue.snapshots {
            guard let found = snapshot.captures.first(where: { $0.capture.id == id }) else { continue }
            let capture = found.capture
            switch capture.state {
            case .uploaded: return capture
            case .failed, .assertionFailed: throw Self.failure(capture)
            case .pending, .assertionPending, .uploading:
                let isFinal = capture.facts.failure.map { Self.needsPerson.contains($0.code) } ?? false
                let isFar = found.nextTry.map { $0.timeIntervalSinceNow > timeout / .seconds(1) } ?? false
                if isFinal || isFar || !snapshot.revokedDevices.isEmpty { throw Self.failure(capture) }
            }
        }
        return nil
    }

    /// Codes after which the queue waits for what this command cannot do.
    private static let needsPerson: Set<String> = [SessionSigning.notRegistered, ErrorCode.deviceRevoked.rawValue]

    private static func failure(_ capture: StoredCapture) -> APIFailure {
        guard let failure = capture.facts.failure else { return APIFailure(.timeout, "the server did not answer in time") }
        let details = failure.details.flatMap { try? JSONValue(parsing: Array($0.utf8)) }
        let code = failure.code == failure.code.uppercased() ? failure.code : nil
        return APIFailure(
            code == nil ? .unreachable : .refused, code.map { "\(failure.message) (\($0))" } ?? failure.message, serverCode: code,
            details: details)
    }
}

/// Is over once nothing more has been sent for a while.
struct SendingTimeout {
    private let limit: Duration
    private var sentBytes: Int64 = 0
    private var since: ContinuousClock.Instant

    init(_ limit: Duration, at now: ContinuousClock.Instant) {
        self.limit = limit
        since = now
    }

    /// - Parameter sentBytes: of the body, so far; fewer than before when it is sent again.
    mutating func isOver(sentBytes: Int64, at now: ContinuousClock.Instant) -> Bool {
        if sentBytes > self.sentBytes { since = now }
        self.sentBytes = sentBytes
        return now - since >= limit
    }
}

/// A photo and a depth map as they are in files.
struct FileCapture: CapturedPhoto {
    let photo: [UInt8]
    let depth: [UInt8]
    let depthWidth: Int
    let depthHeight: Int
    let capturedAt: Date
    let model: String
    let location: PreciseLocation?
    let nonce = CaptureNonce.random()
    var thumbnail: [UInt8]? { nil }

    func metadata(photoHash: ContentDigest) throws -> [UInt8] {
        try WireJSON.encode(
            CaptureMetadata(
                capturedAt: capturedAt, deviceModel: model, photoHash: photoHash, depthWidth: depthWidth, depthHeight: depthHeight,
                location: location, nonce: nonce))
    }
}

/// Signs with the device of a state file.
private struct SessionSigning: CaptureSigning {
    static let notRegistered = ErrorCode.deviceNotRegistered.rawValue
    let session: DeviceSession

    func currentDevice(replacing refused: DeviceID?) async throws -> DeviceID {
        let id = await session.id
        guard refused != id else {
            let failure = CaptureFailure(code: Self.notRegistered, message: "the server does not know this device; register another")
            throw DeviceUnavailable(failure: failure, retryAfter: nil)
        }
        return id
    }

    func assertion(over clientDataHash: ContentDigest) async -> AssertionAttempt {
        do {
            return .made(try await session.assertion(clientDataHash: clientDataHash.bytes), by: await session.id)
        } catch {
            return .later(CaptureFailure(code: "assertion_failed", message: "the device did not sign the capture: \(error)"))
        }
    }

    func signer(for device: DeviceID) async throws -> (any RequestSigner)? { await session.id == device ? session : nil }

    func forgetDevices(except needed: Set<DeviceID>) async throws {}
}
