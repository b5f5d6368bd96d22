import CaptureProtocol
import Foundation
import SimulatedDevice
import Testing

/// A change of a sound payload that breaks one rule of SPEC §9, signed as it is sent.
struct PayloadFault: Sendable, CustomTestStringConvertible {
    let name: String
    let part: String
    let other: String
    var code = APIRefusal.invalidMetadata
    var field: String?
    var testDescription: String { name }

    init(_ name: String, _ part: String, _ other: String, _ code: APIRefusal = .invalidMetadata, field: String? = nil) {
        (self.name, self.part, self.other, self.code, self.field) = (name, part, other, code, field)
    }

    private static let flags = #""metadata_flags":{"device":"full","location":"precise","timestamp":"exact"}"#
    private static func flags(_ device: String, _ location: String, _ timestamp: String) -> String {
        #""metadata_flags":{"device":"\#(device)","location":"\#(location)","timestamp":"\#(timestamp)"}"#
    }

    static let all = [
        PayloadFault("location with flag none", flags, flags("full", "none", "exact"), field: "metadata.location"),
        PayloadFault("altitude with flag coarse", flags, flags("full", "coarse", "exact"), field: "metadata.location.altitude"),
        PayloadFault("a time with flag none", flags, flags("full", "precise", "none"), field: "metadata.captured_at"),
        PayloadFault("a time with flag day", flags, flags("full", "precise", "day"), field: "metadata.captured_at"),
        PayloadFault("a model with flag none", flags, flags("none", "precise", "exact"), field: "metadata.device_model"),
        PayloadFault("versions with flag model", flags, flags("model", "precise", "exact"), field: "metadata.os_version"),
        PayloadFault("an unknown flag", flags, flags("full", "precise", "hour"), field: "metadata_flags.timestamp"),
        PayloadFault("no model with flag full", #""device_model":"iPhone 15 Pro","#, "", field: "metadata.device_model"),
        PayloadFault("another version", #""version":1"#, #""version":2"#, field: "version"),
        PayloadFault("another type", #""media_type":"photo""#, #""media_type":"sound""#, field: "media_type"),
        PayloadFault("an unknown member", #""version":1"#, #""thumbnail":"","version":1"#, field: "thumbnail"),
        PayloadFault("an unknown member of the metadata", #""os_version""#, #""name":"x","os_version""#, field: "metadata.name"),
        PayloadFault("a doubled name", #""version":1"#, #""version":1,"version":1"#, field: "version"),
        PayloadFault("a doubled name inside", #""os_version""#, #""os_version":"1","os_version""#, field: "os_version"),
        PayloadFault("no JSON", #""version":1"#, "", field: "payload"),
        PayloadFault(
            "a forged verdict", #""is_likely_real_scene":true"#, #""is_likely_real_scene":false"#, .invalidDepthFormat,
            field: "depth_analysis.is_likely_real_scene"),
        PayloadFault(
            "a deviation larger than half the range", #""depth_variance":"#, #""depth_variance":1"#, .invalidDepthFormat,
            field: "depth_analysis.depth_variance"),
        PayloadFault("another method", "relief-2", "relief-1", .invalidDepthFormat, field: "depth_analysis.method"),
        PayloadFault(
            "an unknown member of the depth", #""method""#, #""verdict":"real","method""#, .invalidDepthFormat,
            field: "depth_analysis.verdict"),
        PayloadFault("an unknown reason", #""reason":null"#, #""reason":"no_lidar""#, .invalidDepthFormat, field: "depth_analysis.reason"),
        PayloadFault("no relief", #""relief_front":"#, #""relief_front":1"#, .invalidDepthFormat),
        PayloadFault("no layers", #""depth_layers":"#, #""depth_layers":3"#, .invalidDepthFormat),
    ]
}

extension SystemTests {
    @Suite("Hash-only captures that are refused")
    struct PrivacyRefusals {
        private func expectNothing(of device: SimulatedDevice) async throws {
            let id = try #require(device.deviceID)
            let stack = try LocalStack.required()
            #expect(try await stack.sql("SELECT count(*) FROM captures WHERE device_id = '\(id)'") == ["0"])
            #expect(try await stack.sql("SELECT count(*) FROM assertion_counters WHERE device_id = '\(id)'") == ["0"])
        }

        @Test("a signed payload that breaks one rule is refused with its code and field, and nothing is recorded")
        func payloads() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let sound = try PrivateCapture(CaptureParts())
            for fault in PayloadFault.all {
                let answer = try await client.submitPrivate(&device, sound.replacing(fault.part, with: fault.other).body(&device))
                fault.code.expectEnvelope(answer, fault.name)
                guard let field = fault.field else { continue }
                let details = (answer.json["error"] as? [String: Any])?["details"] as? [[String: Any]]
                #expect(details?.first?["field"] as? String == field, "\(fault.name): \(answer.text)")
            }
            let coverage = sound.depth.coverage == 1 ? "1" : "\(sound.depth.coverage)"
            let sparse = try sound.replacing("\"coverage\":\(coverage)", with: "\"coverage\":0.2")
            APIRefusal.invalidDepthFormat.expectEnvelope(try await client.submitPrivate(&device, sparse.body(&device)), "coverage 0.2")
            let coarse = try PrivateCapture(
                CaptureParts(), sharing: MetadataFlags(location: .coarse, timestamp: .none, device: .none))
            let fine = try coarse.replacing("45.76", with: "45.764")
            APIRefusal.invalidMetadata.expectEnvelope(try await client.submitPrivate(&device, fine.body(&device)), "three decimals")
            try await expectNothing(of: device)
        }

        @Test("a body that is too large or has another form is refused")
        func forms() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            var sound = try PrivateCapture(CaptureParts())
            let body = try sound.body(&device)
            sound.payload += [UInt8](repeating: 0x20, count: 10_001 - sound.payload.count)
            APIRefusal.payloadTooLarge.expectEnvelope(try await client.submitPrivate(&device, sound.body(&device)), "10,001 bytes")
            let padded = body + [UInt8](repeating: 0x20, count: (32 << 10) + 1 - body.count)
            APIRefusal.payloadTooLarge.expectEnvelope(try await client.submitPrivate(&device, padded), "32 KiB and a byte")
            let text = String(decoding: body, as: UTF8.self)
            for changed in [
                text.replacing("hash_only", with: "full"), text.replacing(#"{"mode""#, with: #"{"photo":"","mode""#),
                text.replacing(#""mode":"hash_only","#, with: ""), "[]", "",
            ] {
                APIRefusal.validationError.expectEnvelope(try await client.submitPrivate(&device, Array(changed.utf8)), changed)
            }
            let unsigned = HashOnlyBody(payload: Array(sound.payload.prefix(9000)), assertion: [0xff]).bytes()
            APIRefusal.invalidAssertion.expectEnvelope(try await client.submitPrivate(&device, unsigned), "no CBOR")
            APIRefusal.signatureInvalid.expectEnvelope(try await client.submitPrivate(&device, body, version: 1), "version 1")
            let changed = try await client.submitPrivate(&device, body) { _, body in body.append(0x20) }
            APIRefusal.signatureInvalid.expectEnvelope(changed, "a byte more than signed")
            try await expectNothing(of: device)
        }

        @Test("an assertion that does not vouch for these bytes is refused before the payload is read")
        func assertions() async throws {
            let client = try TestClient.current()
            var device = try await client.device()
            let sound = try PrivateCapture(CaptureParts())
            let body = try HashOnlyBody.parse(sound.body(&device))
            let digests = sound.parts.digests
            let ofPhoto = try device.captureAssertion(
                photoDigest: digests.photo, depthDigest: digests.depth, metadataDigest: digests.metadata)
            var changed = sound.payload
            changed[changed.count / 2] ^= 1
            for (payload, assertion, what) in [
                (changed, body.assertion, "a changed byte"), (sound.payload, ofPhoto, "a photo capture's assertion"),
                (Array("no JSON".utf8), body.assertion, "another payload"), (sound.payload, [0xa0], "an empty map"),
            ] {
                let sent = HashOnlyBody(payload: payload, assertion: assertion).bytes()
                APIRefusal.attestationFailed.expectEnvelope(try await client.submitPrivate(&device, sent), what)
            }
            var unverified = try await client.device(.ed25519, defect: .otherRoot)
            APIRefusal.attestationFailed.expectEnvelope(
                try await client.submitPrivate(&unverified, sound.body(&unverified)), "an unverified device")
            var revoked = try await client.device()
            let id = try #require(revoked.deviceID)
            _ = try await LocalStack.required().sql("UPDATE devices SET revoked_at = now() WHERE id = '\(id)'")
            APIRefusal.deviceRevoked.expectEnvelope(try await client.submitPrivate(&revoked, sound.body(&revoked)), "a revoked device")
            for device in [device, unverified, revoked] { try await expectNothing(of: device) }
        }
    }
}
