import CaptureProtocol
import ContentCredentials
import Foundation
import Logging
import Models
import ObjectStorage
import ServiceRuntime
import Signing
import Synchronization
import TestSupport
import Testing

@testable import EvidenceAssembler

@Suite("Issue of Content Credentials, by the C2PA library")
struct CredentialIssuerTests {
    private let store = MemoryObjectStore()

    private func countedSigner(leafValidity: DateInterval? = nil) throws -> CountedSigner {
        let identity = try DevelopmentAuthority.make(algorithm: .ed25519, leafValidity: leafValidity, now: .now)
        // With a certificate that has expired since.
        return CountedSigner(
            try PEMSigner(certificatesPEM: identity.chainPEM, privateKeyPEM: identity.privateKeyPEM, at: leafValidity?.start ?? .now))
    }

    private func issuer(
        _ signer: CountedSigner? = nil, timestampAuthority: URL? = nil,
        scratchFolder: String = FileManager.default.temporaryDirectory.path, circuits: SigningCircuits = SigningCircuits()
    ) throws -> CredentialIssuer {
        let signer = try signer ?? countedSigner()
        return CredentialIssuer(
            writer: try CredentialWriter(signer: signer, timestampAuthority: timestampAuthority), certificate: signer.certificate,
            storage: store, scratchFolder: scratchFolder, circuits: circuits,
            logger: .quiet)
    }

    private func claim(_ id: CaptureID = CaptureID()) -> CaptureClaim {
        CaptureClaim(captureID: id, capturedAt: Samples.captured, evidence: Samples.Evidence().package, confidence: .high)
    }

    private func photo() throws -> PublicCopy { try #require(PublicCopy(of: SampleCapture.picture(width: 160, height: 120), nil)) }

    @Test("stores a signed copy and its manifest under keys of their digests, and knows them again by these")
    func signs() async throws {
        let id = CaptureID()
        let photo = try photo()
        guard case .made(let issued) = try await issuer().issue(claim(id), photo: photo, isTrial: false) else {
            Issue.record("not signed")
            return
        }
        let copy = try #require(store.bytes(issued.copy.key))
        let manifest = try #require(store.bytes(issued.manifest.key))
        #expect(issued.copy.sha256 == ContentDigest(of: copy) && issued.manifest.sha256 == ContentDigest(of: manifest))
        #expect(copy.count > photo.bytes.count + manifest.count && !issued.hasTimestamp)
        #expect(issued.copy.key == MediaName.signedCopy.key(of: id, digest: issued.copy.sha256))
        #expect(Set(store.keys) == [issued.copy.key, issued.manifest.key])
    }

    @Test("signs nothing without a photo, or what is none")
    func nothing() async throws {
        let issuer = try issuer()
        guard case .notSignable(.photoUnreadable) = try await issuer.issue(claim(), photo: nil, isTrial: false) else {
            Issue.record("signed nothing")
            return
        }
        let text = PublicCopy(bytes: Array("This is no photo.".utf8), pixels: nil)
        guard case .notSignable(.photoNotSignable) = try await issuer.issue(claim(), photo: text, isTrial: false) else {
            Issue.record("signed a text")
            return
        }
        #expect(store.keys.isEmpty)
        guard case .made = try await issuer.issue(claim(), photo: try photo(), isTrial: false) else {
            Issue.record("what cannot be signed held up what can")
            return
        }
    }

    @Test("waits for the disk where the library may have had no room for its copy of what is large, instead of refusing it for ever")
    func noRoom() async throws {
        let large = PublicCopy(bytes: [UInt8](repeating: 7, count: 17 << 20), pixels: nil)
        let small = PublicCopy(bytes: [7], pixels: nil)
        let (nowhere, somewhere) = (try issuer(scratchFolder: "/does/not/exist"), try issuer())
        guard case .noRoomYet = try await nowhere.issue(claim(), photo: large, isTrial: false) else {
            Issue.record("refused for want of a disk")
            return
        }
        for (issuer, photo) in [(nowhere, small), (somewhere, large)] {
            guard case .notSignable(.photoNotSignable) = try await issuer.issue(claim(), photo: photo, isTrial: false) else {
                Issue.record("waits for a disk that is there")
                return
            }
        }
        #expect(store.keys.isEmpty)
    }

    @Test("says nothing of the signer where the disk has no room: its circuit stays as it is, and the next trial may pass")
    func noRoomForTrial() async throws {
        let signer = try countedSigner()
        let time = SharedValue(ContinuousClock.now)
        let circuits = SigningCircuits(now: { time.withLock { $0 } })
        let large = PublicCopy(bytes: [UInt8](repeating: 7, count: 17 << 20), pixels: nil)
        let photo = try photo()
        let nowhere = try issuer(signer, scratchFolder: "/does/not/exist", circuits: circuits)
        let somewhere = try issuer(signer, circuits: circuits)
        guard case .noRoomYet = try await nowhere.issue(claim(), photo: large, isTrial: false) else {
            Issue.record("found room where there is none")
            return
        }
        #expect(circuits.signer.state == .closed)
        signer.set(isAway: true)
        guard case .noSignerYet = try await somewhere.issue(claim(), photo: photo, isTrial: false) else {
            Issue.record("signed without a signer")
            return
        }
        signer.set(isAway: false)
        time.withLock { $0 = $0.advanced(by: .seconds(5)) }
        guard case .noRoomYet = try await nowhere.issue(claim(), photo: large, isTrial: true) else {
            Issue.record("found room where there is none")
            return
        }
        #expect(circuits.signer.state == .open)
        guard case .made = try await somewhere.issue(claim(), photo: photo, isTrial: true) else {
            Issue.record("not signed once the signer is back")
            return
        }
    }

    @Test("waits for a certificate that has run out, and asks its signer for nothing")
    func expired() async throws {
        let yesterday = Date(timeIntervalSinceNow: -86_400)
        let signer = try countedSigner(leafValidity: DateInterval(start: yesterday, duration: 3600))
        let issuer = try issuer(signer)
        for isTrial in [false, false, true] {
            guard case .noSignerYet = try await issuer.issue(claim(), photo: try photo(), isTrial: isTrial) else {
                Issue.record("signed with an expired certificate")
                return
            }
        }
        #expect(store.requests.isEmpty && signer.asked == 0)
    }

    @Test("waits for a signer that is away, and asks it once in a while only, for a capture that waits already")
    func away() async throws {
        let signer = try countedSigner()
        let time = SharedValue(ContinuousClock.now)
        let issuer = try issuer(signer, circuits: SigningCircuits(now: { time.withLock { $0 } }))
        let photo = try photo()
        signer.set(isAway: true)
        // The pause doubles.
        for (trials, asked, pause) in [([false, true, false, true], 1, 5), ([false, true, true, false], 2, 10)] {
            for isTrial in trials {
                guard case .noSignerYet = try await issuer.issue(claim(), photo: photo, isTrial: isTrial) else {
                    Issue.record("signed without a signer")
                    return
                }
            }
            #expect(signer.asked == asked)
            time.withLock { $0 = $0.advanced(by: .seconds(pause)) }
        }
        signer.set(isAway: false)
        for isTrial in [true, false] {
            guard case .made = try await issuer.issue(claim(), photo: photo, isTrial: isTrial) else {
                Issue.record("not signed once the signer is back")
                return
            }
        }
    }

    @Test("leaves alone what is away once another issuer of the same signer has found it out")
    func shared() async throws {
        let signer = try countedSigner()
        let circuits = SigningCircuits()
        let (photos, videos) = (try issuer(signer, circuits: circuits), try issuer(signer, circuits: circuits))
        let photo = try photo()
        signer.set(isAway: true)
        for issuer in [photos, videos, photos] {
            guard case .noSignerYet = try await issuer.issue(claim(), photo: photo, isTrial: false) else {
                Issue.record("signed without a signer")
                return
            }
        }
        #expect(signer.asked == 1)
    }

    @Test("goes on without a time stamp while the authority is away")
    func noTimestamp() async throws {
        // Nothing listens on this port.
        let issuer = try issuer(timestampAuthority: URL(string: "http://127.0.0.1:1/"))
        for _ in 0..<2 {
            guard case .noTimestampYet = try await issuer.issue(claim(), photo: try photo(), isTrial: false) else {
                Issue.record("signed without a time stamp")
                return
            }
        }
        #expect(store.requests.isEmpty)
    }

    @Test("leaves a store that is away to whoever tries again")
    func storeAway() async throws {
        store.refuse { _ in .unavailable }
        let issuer = try issuer()
        let photo = try photo()
        await #expect(throws: ObjectStorageError.self) { try await issuer.issue(claim(), photo: photo, isTrial: false) }
    }
}

/// A signer that counts how often it is asked, and may be away.
private final class CountedSigner: ClaimSigner {
    private let owner: PEMSigner
    private let state = Mutex((isAway: false, asked: 0))

    init(_ owner: PEMSigner) { self.owner = owner }

    var certificate: SigningCertificate { owner.certificate }
    var asked: Int { state.withLock { $0.asked } }
    func set(isAway: Bool) { state.withLock { $0.isAway = isAway } }

    var algorithm: SigningAlgorithm { owner.algorithm }
    var certificateChainPEM: String { owner.certificateChainPEM }

    func sign(_ bytes: [UInt8]) throws(SigningError) -> [UInt8] {
        let isAway = state.withLock { state in
            state.asked += 1
            return state.isAway
        }
        guard !isAway else { throw .unavailable("away") }
        return try owner.sign(bytes)
    }

    func check() throws(SigningError) {}
}
