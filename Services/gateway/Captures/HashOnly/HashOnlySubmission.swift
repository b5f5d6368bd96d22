import CaptureProtocol
import Foundation
import Models

/// The body of a hash-only capture whose assertion and payload are valid, ready to be recorded (SPEC §9).
struct HashOnlySubmission: CaptureSubmitting {
    let payload: HashOnlyPayload
    let payloadBytes: [UInt8]
    let assertion: [UInt8]

    /// Checks form, assertion, payload with its flags, and depth, in that order. The assertion's counter is neither consumed nor compared.
    ///
    /// - Parameter device: must be verified, and have made the assertion over the payload's bytes.
    init(_ bytes: [UInt8], from device: KnownDevice) throws(CaptureError) {
        let body: HashOnlyBody
        do {
            body = try HashOnlyBody.parse(bytes)
        } catch {
            switch error {
            case .malformed(let found): throw .invalid(found.field, found.problem)
            case .payloadTooLarge: throw .hashOnlyTooLarge
            case .assertionNotBase64: throw .invalid(HashOnlyBody.assertionName, "is not base64", .assertion)
            }
        }
        assertion = try CollectedParts.checked(body.assertion, field: HashOnlyBody.assertionName, .assertion)
        guard device.hasAsserted(HashOnlyClientData.hash(payload: body.payload), by: body.assertion) else { throw .assertionUnverified }
        do {
            payload = try HashOnlyPayload.parse(body.payload)
        } catch {
            switch error {
            case .metadata(let found): throw .invalid(found.field, found.problem, .metadata)
            case .depth(let found): throw .invalid(found.field, found.problem, .depth)
            }
        }
        payloadBytes = body.payload
    }

    func capture(_ id: CaptureID, device: DeviceID, receivedAt: Date) -> NewCapture {
        NewCapture(
            announcement: CaptureAnnouncement(
                captureID: id, deviceID: device, content: .hashOnly(payload), metadata: payloadBytes, assertion: assertion,
                receivedAt: receivedAt),
            mediaHash: payload.mediaHash, depthHash: nil, assertionHash: ContentDigest(of: assertion), capturedAt: payload.capturedAt,
            flags: payload.flags, location: payload.location, detection: nil)
    }
}
