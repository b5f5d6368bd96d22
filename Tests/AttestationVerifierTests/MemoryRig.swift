import Attestation
import CaptureProtocol
import Delivery
import Foundation
import Models
import Synchronization
import TestSupport

@testable import AttestationVerifier

/// The handlers with repositories in memory.
struct MemoryRig: VerifierRig {
    let registrations = MemoryDevices()
    let appraisals: MemoryPartRepository<AttestationAppraised, AppraisedCapture>
    let store = MemoryObjectStore()
    var devices: any DeviceRepository { registrations }

    init() {
        let (devices, counters) = (registrations, MemoryCounters())
        appraisals = MemoryPartRepository { appraised, announcement in
            let device = appraised.device.id
            guard !devices.isRevoked(device) else { return appraised.revoked }
            try appraised.requireReadUnrevoked()
            return appraised.findings(appraised.counters.map { counters.consume($0, device: device, capture: announcement.captureID) })
        }
    }

    func inTransaction(_ body: @escaping @Sendable (MemoryTransaction) async throws -> Void) async throws {
        let transaction = MemoryTransaction()
        try await body(transaction)
        transaction.commit()
    }

    func submit(_ submission: RegistrationSubmission) async throws { registrations.submit(submission) }
    func forget(_ registration: RegistrationID) async throws { registrations.forget(registration) }
    func accept(_ announcement: CaptureAnnouncement) async throws { appraisals.add(announcement) }
    func outcomes(of registration: RegistrationID) async throws -> [RegistrationOutcome] {
        registrations.announced.filter { $0.registrationID == registration }.map(\.outcome)
    }
    func answers(for capture: CaptureID) async throws -> [AttestationAppraised] {
        appraisals.announced.filter { $0.captureID == capture }
    }
    func revisions(of device: DeviceID) async throws -> [DeviceRevoked] { registrations.revised.filter { $0.deviceID == device } }
    func device(of registration: RegistrationID) async throws -> DeviceID? { registrations.device(of: registration) }
}

/// Assertion counters in memory.
final class MemoryCounters: Sendable {
    private let owners = Mutex<[DeviceID: [UInt32: CaptureID]]>([:])

    func consume(_ counter: UInt32, device: DeviceID, capture: CaptureID) -> CounterUse {
        owners.withLock { owners in
            let owner = owners[device, default: [:]][counter] ?? capture
            guard owner == capture else { return .replayed }
            owners[device, default: [:]][counter] = owner
            return .accepted(outOfOrder: owners[device, default: [:]].keys.contains { $0 > counter })
        }
    }
}

/// Devices and their registrations in memory.
final class MemoryDevices: DeviceRepository, RegistrationRepository {
    fileprivate struct Entry {
        let registration: RegistrationID
        let device: Device
        let keyID: [UInt8]
        var isRevoked = false
        var events: [DeviceEvent] = []
    }

    fileprivate struct State {
        var submissions: [RegistrationID: RegistrationSubmission] = [:]
        var outcomes: [RegistrationID: RegistrationOutcome] = [:]
        var entries: [Entry] = []
        var answered: Set<EventID> = []
        var announced: [RegistrationAppraised] = []
        var revised: [DeviceRevoked] = []
    }

    private let state = Mutex(State())

    var announced: [RegistrationAppraised] { state.withLock { $0.announced } }
    var revised: [DeviceRevoked] { state.withLock { $0.revised } }
    func device(of registration: RegistrationID) -> DeviceID? {
        state.withLock { state in state.entries.first { $0.registration == registration }?.device.id }
    }

    func isRevoked(_ id: DeviceID) -> Bool {
        state.withLock { state in state.entries.contains { $0.device.id == id && $0.isRevoked } }
    }

    func submit(_ submission: RegistrationSubmission) {
        state.withLock { $0.submissions[submission.registrationID] = submission }
    }

    func forget(_ registration: RegistrationID) { state.withLock { $0.submissions[registration] = nil } }

    func find(_ id: DeviceID) async throws -> Device? {
        state.withLock { state in
            guard let entry = state.entries.first(where: { $0.device.id == id }) else { return nil }
            let known = entry.device.registered
            return Device(
                id: id, model: entry.device.model, hasLiDAR: entry.device.hasLiDAR, attestationDigest: entry.device.attestationDigest,
                registered: RegisteredDevice(
                    level: known.level, isRevoked: entry.isRevoked, publicKey: known.publicKey, appID: known.appID,
                    environment: known.environment, isDevelopmentRoot: known.isDevelopmentRoot,
                    validationCategory: known.validationCategory, bundleVersion: known.bundleVersion))
        }
    }

    func apply(_ action: DeviceAction, to id: DeviceID, _ note: OperatorNote) async throws -> Bool {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.device.id == id }) else { return false }
            state.entries[index].isRevoked = action == .revoked
            state.entries[index].events.append(DeviceEvent(action: action, at: Date(), by: note.by, reason: note.reason, since: note.since))
            state.revised.append(DeviceRevoked(deviceID: id))
            return true
        }
    }

    func events(of id: DeviceID) async throws -> [DeviceEvent]? {
        state.withLock { state in
            state.entries.first { $0.device.id == id }.map { Array($0.events.reversed().prefix(1000)) }
        }
    }

    func submission(_ registration: RegistrationID) async throws -> RegistrationSubmission? {
        state.withLock { $0.submissions[registration] }
    }

    func save(
        _ finding: RegistrationFinding, of submission: RegistrationSubmission, answering context: MessageContext
    ) async throws -> RegistrationOutcome? {
        state.withLock { state in
            guard state.answered.insert(context.eventID).inserted else { return nil }
            let id = submission.registrationID
            let known = state.outcomes[id].flatMap { $0 == .failed ? nil : $0 }
            let outcome = known ?? state.record(finding, submission)
            state.outcomes[id] = outcome
            state.announced.append(RegistrationAppraised(registrationID: id, outcome: outcome))
            return outcome
        }
    }

    func announceAgain(_ registration: RegistrationID, answering context: MessageContext) async throws -> Bool {
        state.withLock { state in
            guard let outcome = state.outcomes[registration], outcome != .failed else { return false }
            if state.answered.insert(context.eventID).inserted {
                state.announced.append(RegistrationAppraised(registrationID: registration, outcome: outcome))
            }
            return true
        }
    }

    func giveUp(_ registration: RegistrationID, reason: FailureReason, on transaction: MemoryTransaction) async throws {
        transaction.write { [self] in
            state.withLock { state in
                guard state.submissions[registration] != nil, state.outcomes[registration] == nil else { return }
                state.outcomes[registration] = .failed
                state.announced.append(RegistrationAppraised(registrationID: registration, outcome: .failed))
            }
        }
    }
}

extension MemoryDevices.State {
    mutating func record(_ finding: RegistrationFinding, _ submission: RegistrationSubmission) -> RegistrationOutcome {
        switch finding {
        case .verified(let attestation, _):
            guard !entries.contains(where: { $0.device.registered.level == .secureEnclave && $0.keyID == attestation.keyID }) else {
                return .alreadyRegistered
            }
            add(
                submission, keyID: attestation.keyID,
                RegisteredDevice(
                    level: .secureEnclave, isRevoked: false, publicKey: attestation.publicKeyX963, appID: attestation.appID,
                    environment: attestation.environment.rawValue, isDevelopmentRoot: attestation.isDevelopmentRoot,
                    validationCategory: attestation.extensions.validationCategory, bundleVersion: attestation.extensions.bundleVersion))
            return .registered
        case .unverified:
            add(
                submission, keyID: submission.keyID.bytes,
                RegisteredDevice(
                    level: .unverified, isRevoked: false, publicKey: nil, appID: nil, environment: nil, isDevelopmentRoot: false,
                    validationCategory: nil, bundleVersion: nil))
            return .registered
        case .invalid: return .invalidAttestation
        }
    }

    private mutating func add(_ submission: RegistrationSubmission, keyID: [UInt8], _ registered: RegisteredDevice) {
        let device = Device(
            id: DeviceID(), model: submission.model, hasLiDAR: submission.hasLiDAR,
            attestationDigest: ContentDigest(of: submission.attestationObject.bytes), registered: registered)
        entries.append(MemoryDevices.Entry(registration: submission.registrationID, device: device, keyID: keyID))
    }
}
