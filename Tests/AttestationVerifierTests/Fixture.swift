import Attestation
import CaptureProtocol
import Foundation
import Models
import SimulatedDevice

/// The data that a simulated device sends, as the gateway passes them on.
enum Fixture {
    static let now = Date(timeIntervalSince1970: 1_795_240_800)
    static let photo: [UInt8] = [0xff, 0xd8, 1, 2, 3]
    static let depth: [UInt8] = [4, 5]
    static let metadata = Array("{}".utf8)
    private static let authority = Result { try DevelopmentAttestationAuthority(at: now) }
    static let appraiser = AttestationAppraiser(
        roots: (try? TrustRoots.apple.adding(pem: authority.get().rootPEM)) ?? .apple, appIDs: [SimulatedDevice.developmentAppID],
        environment: .development)
    static let policy = DevicePolicy(
        appIDs: [SimulatedDevice.developmentAppID], environment: .development, acceptsDevelopmentRoots: true)

    static func submission(of device: SimulatedDevice, defect: Defect? = nil) throws -> RegistrationSubmission {
        let challenge = [UInt8](repeating: 7, count: 32)
        let attestation = try device.attestation(challenge: challenge, authority: authority.get(), at: now, defect: defect)
        let key = try device.requestPublicKey
        return RegistrationSubmission(
            registrationID: RegistrationID(), model: device.model, hasLiDAR: true, osVersion: "26.1", keyID: attestation.keyID,
            attestationObject: attestation.attestationObject, clientDataHash: ContentDigest(of: challenge + (key ?? [])),
            requestKey: key.map { RequestKey(algorithm: .ed25519, publicKey: $0) }, receivedAt: now)
    }

    /// - Parameters:
    ///   - assertion: over arbitrary data; `nil` for none.
    ///   - photoThenDepth: the combined digest, if the gateway could compute it while streaming.
    static func announcement(
        by device: DeviceID, assertion: [UInt8]?, photoThenDepth: ContentDigest? = ContentDigest(of: photo + depth)
    ) -> CaptureAnnouncement {
        let id = CaptureID()
        func media(_ name: String, _ bytes: [UInt8], _ type: String) -> StoredMedia {
            StoredMedia(
                key: "incoming/\(id)/\(name)", sha256: ContentDigest(of: bytes), sizeBytes: Int64(bytes.count), contentType: type)
        }
        return CaptureAnnouncement(
            captureID: id, deviceID: device,
            content: .photo(
                PhotoContent(
                    photo: media("photo", photo, "image/jpeg"), depth: media("depth", depth, "application/octet-stream"),
                    photoThenDepth: photoThenDepth, depthWidth: 2, depthHeight: 2)),
            metadata: metadata, assertion: assertion, receivedAt: now)
    }
}

extension SimulatedDevice {
    /// An assertion over photo, depth and metadata of the fixture.
    mutating func fixtureAssertion(counter: UInt32? = nil) throws -> [UInt8] {
        try captureAssertion(
            photoDigest: ContentDigest(of: Fixture.photo), depthDigest: ContentDigest(of: Fixture.depth),
            metadataDigest: ContentDigest(of: Fixture.metadata), counter: counter)
    }
}
