import CaptureProtocol
import Foundation
import Models
import Synchronization

@testable import Gateway

/// Challenges and the outcomes of registrations in memory. Time stands still for them but for ``advance(by:)``.
final class MemoryChallenges: ChallengeRepository, RegistrationRepository {
    private struct Entry {
        let createdAt: Double
        var use: Use?
    }

    private struct Use {
        let registration: RegistrationID
        let digest: ContentDigest
        let consumedAt: Double
        var announcedAt: Double
    }

    private struct State {
        var seconds = 0.0
        var entries: [[UInt8]: Entry] = [:]
        var outcomes: [RegistrationID: RegistrationRecord] = [:]
        var announced: [RegistrationID] = []
    }

    private let state = Mutex(State())

    var count: Int { state.withLock { $0.entries.count } }
    var announced: [RegistrationID] { state.withLock { $0.announced } }
    func advance(by seconds: Double) { state.withLock { $0.seconds += seconds } }

    func decide(_ outcome: RegistrationOutcome, on registration: RegistrationID, _ device: DeviceID?) {
        let result = device.map {
            RegistrationResult(deviceID: $0, attestationLevel: .unverified, hasLiDAR: true, attestationFailure: nil)
        }
        state.withLock { $0.outcomes[registration] = RegistrationRecord(outcome: outcome, device: result) }
    }

    func issue() async throws -> (challenge: [UInt8], expiresAt: Date) {
        let challenge = [UInt8].random(32)
        state.withLock { $0.entries[challenge] = Entry(createdAt: $0.seconds) }
        return (challenge, Date().addingTimeInterval(300))
    }

    func consume(_ body: RegistrationBody, digest: ContentDigest) async throws -> ChallengeUse {
        state.withLock { state in
            let now = state.seconds
            guard let entry = state.entries[body.challenge] else { return .refused }
            guard let use = entry.use else {
                guard now < entry.createdAt + 300 else { return .refused }
                let use = Use(registration: RegistrationID(), digest: digest, consumedAt: now, announcedAt: now)
                state.entries[body.challenge]?.use = use
                state.announced.append(use.registration)
                return .registration(use.registration)
            }
            guard use.digest == digest, now < use.consumedAt + 86_400 else { return .refused }
            let isOpen = state.outcomes[use.registration].map { $0.outcome == .failed } ?? true
            if isOpen, now > use.announcedAt + 2 {
                state.entries[body.challenge]?.use?.announcedAt = now
                state.announced.append(use.registration)
            }
            return .registration(use.registration)
        }
    }

    func sweep() async throws {
        state.withLock { state in state.entries = state.entries.filter { $0.value.createdAt >= state.seconds - 86_700 } }
    }

    func find(_ id: RegistrationID) async throws -> RegistrationRecord? { state.withLock { $0.outcomes[id] } }
}
