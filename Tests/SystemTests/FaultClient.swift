import Foundation
import SimulatedDevice
import TestSupport
import Testing

@testable import ObjectStorage

/// The result of a request that its device repeats until it is accepted.
struct Attempts<Value: Sendable>: Sendable {
    let value: Value
    /// The statuses of all responses in order; 0 without a response.
    let statuses: [Int]

    /// Expects that clients saw faults only as `503`, after which they retry.
    func expectOnlyRetryLater(_ what: String) {
        let others = Set(statuses.dropLast()).subtracting([0, 503])
        #expect(others.isEmpty, "\(what): \(statuses)")
    }
}

extension TestClient {
    /// Sends the same form until a response accepts it.
    func accepted(
        _ form: [FormPart], of device: SimulatedDevice, to path: String = captures, within limit: Duration = .seconds(90)
    ) async throws -> Attempts<(id: String, status: Int)> {
        var own = device
        var statuses: [Int] = []
        var id: String?
        try await eventually(within: limit, "a capture's response") {
            let answer = try? await submit(&own, form, to: path)
            statuses.append(answer?.status ?? 0)
            if let answer, [200, 201].contains(answer.status) { id = answer.data["capture_id"] as? String }
            return id != nil
        }
        return Attempts(value: (try #require(id), statuses.last ?? 0), statuses: statuses)
    }
}

extension FaultCapture {
    /// Sends the same bytes until a response accepts them.
    func sent(within limit: Duration = .seconds(90)) async throws -> Attempts<(id: String, status: Int)> {
        try await TestClient.current().accepted(form, of: device, within: limit)
    }

    /// Expects that the stored original is the photo that was sent.
    func expectOriginal(of id: String, in stack: LocalStack) async throws {
        let keys = try await stack.sql("SELECT object_key FROM media_objects WHERE capture_id = '\(id)' AND name = 'original.jpg'")
        #expect(keys.count == 1)
        #expect(try await stack.storage().getBytes(keys.first ?? "", limit: 32 << 20) == parts.photo)
    }
}

/// A registration that its device can repeat: one attestation for one challenge.
struct FaultRegistration: Sendable {
    let device: SimulatedDevice
    let challenge: [UInt8]
    let body: [UInt8]

    init() async throws {
        let client = try TestClient.current()
        device = SimulatedDevice(requestKey: .ed25519)
        challenge = try await client.challenge()
        body = try client.registration(device, challenge: challenge)
    }

    /// Sends the same body until it creates a device.
    func sent(within limit: Duration = .seconds(90)) async throws -> Attempts<SimulatedDevice> {
        let client = try TestClient.current()
        var own = device
        var statuses: [Int] = []
        try await eventually(within: limit, "a registration's response") {
            let answer = try? await client.register(body)
            statuses.append(answer?.status ?? 0)
            guard let answer, answer.status == 201 else { return false }
            #expect(answer.data["attestation_level"] as? String == "secure_enclave")
            own.deviceID = answer.data["device_id"] as? String
            return true
        }
        _ = try #require(own.deviceID)
        return Attempts(value: own, statuses: statuses)
    }

    /// Expects one device for the key, and one outcome of the registration.
    func expectOne(in stack: LocalStack, _ what: String) async throws {
        let key = try device.keyID.map { String(format: "%02x", $0) }.joined()
        #expect(try await stack.sql("SELECT count(*) FROM devices WHERE key_id = '\\x\(key)'") == ["1"], "\(what)")
        let bytes = challenge.map { String(format: "%02x", $0) }.joined()
        let outcomes = try await stack.sql(
            """
            SELECT outcome FROM registrations JOIN challenges ON registration_id = registrations.id WHERE challenge = '\\x\(bytes)'
            """)
        #expect(outcomes == ["registered"], "\(what)")
    }
}

extension LocalStack {
    /// Waits until the service's admin port reports the dependency's state, in readiness and metrics.
    func expect(_ service: String, _ dependency: String, isUp: Bool, within limit: Duration) async throws {
        let state = "\"\(dependency)\":\"\(isUp ? "connected" : "unreachable")\""
        let metric = "rial_dependency_up{dependency=\"\(dependency)\"} \(isUp ? 1 : 0)"
        try await eventually(within: limit, "\(service) sees that \(dependency) is \(isUp ? "back" : "away")") {
            let ready = try await admin(service, "/readyz")
            let metrics = try await admin(service, "/metrics").text
            return ready.status == (isUp ? 200 : 503) && ready.text.contains(state) && metrics.contains(metric)
        }
    }
}

/// Runs `work` during a fault that lasts for `duration`, and until it was seen. The fault is ended even if something throws.
/// - Parameters:
///   - seen: ends when all has been seen that shows only during the fault.
///   - work: starts after the fault, and may take longer.
func during<Result: Sendable>(
    _ duration: Duration, begin: @Sendable () async throws -> Void, end: @Sendable @escaping () async throws -> Void,
    seen: () async throws -> Void, work: @Sendable @escaping () async throws -> Result
) async throws -> Result {
    do {
        try await begin()
    } catch {
        try await end()
        throw error
    }
    async let result = work()
    let least = ContinuousClock.now + duration
    var failure: (any Error)?
    do { try await seen() } catch { failure = error }
    try? await Task.sleep(until: least, clock: .continuous)
    try await end()
    if let failure { throw failure }
    return try await result
}

extension ResumableBody {
    /// Goes on with the upload after each fault until it is complete, in two requests where it is not cut; returns the capture's id.
    func resumed(within limit: Duration = .seconds(90)) async throws -> String {
        let client = try TestClient.current()
        var own = self
        var (path, id): (String?, String?)
        try await eventually(within: limit, "a resumable upload's response") {
            if path == nil {
                guard
                    let answer = try? await client.send(
                        "POST", TestClient.captures, headers: own.creation(isComplete: false) + [("Content-Length", "0")])
                else { return false }
                id = answer.data["capture_id"] as? String
                if answer.status == 201 { path = try own.path(of: answer.headers) }
            }
            guard id == nil, let known = path, let state = try? await client.send("HEAD", known) else { return id != nil }
            if [404, 410].contains(state.status) { path = nil }
            guard state.status == 204, let offset = state.headers["upload-offset"].flatMap({ Int($0) }) else { return false }
            if state.headers["upload-complete"] == "?1" {
                id = (try? await client.send("GET", known))?.data["capture_id"] as? String
            } else {
                let isLast = offset > 0
                let piece = isLast ? bytes.dropFirst(offset) : bytes.prefix(bytes.count / 2)
                let answer = try? await client.append(Array(piece), to: known, at: offset, isComplete: isLast)
                id = answer?.data["capture_id"] as? String
            }
            return id != nil
        }
        return try #require(id)
    }
}
