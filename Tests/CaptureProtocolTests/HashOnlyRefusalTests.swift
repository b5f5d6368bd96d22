import Foundation
import Testing

@testable import CaptureProtocol

@Suite("Payloads that are refused")
struct HashOnlyRefusalTests {
    private static let everything = #"{"location": "precise", "timestamp": "exact", "device": "full"}"#
    private static let allMetadata = """
        {"captured_at": "2026-11-21T07:00:00Z", "location": {"latitude": 45.764, "longitude": 4.8357, "altitude": 173, "accuracy": 5}, \
        "device_model": "iPhone 15 Pro", "os_version": "18.1", "app_version": "1.0.0"}
        """
    static let depth = """
        {"method": "relief-2", "depth_variance": 0.6, "depth_layers": 4, "edge_coherence": 0.8, "min_depth": 0.8, "max_depth": 4.1, \
        "relief": 0.5, "relief_front": 0.3, "relief_behind": 0.2, "photo_edges_on_surface": 0.4, "coverage": 0.97, "reason": null, \
        "is_likely_real_scene": true}
        """

    /// A valid payload with some members replaced; an empty text removes a member.
    private static func document(_ changes: [String: String] = [:]) -> [UInt8] {
        var members = [
            "version": "1", "media_type": "\"photo\"", "media_hash": "\"\(String(repeating: "ab", count: 32))\"",
            "metadata_flags": everything, "metadata": allMetadata, "depth_analysis": depth,
        ]
        for (name, value) in changes { members[name] = value.isEmpty ? nil : value }
        return Array(("{" + members.map { "\"\($0)\": \($1)" }.joined(separator: ", ") + "}").utf8)
    }

    private func refusal(_ bytes: [UInt8]) -> HashOnlyError? {
        do throws(HashOnlyError) {
            _ = try HashOnlyPayload.parse(bytes)
            return nil
        } catch {
            return error
        }
    }

    private func metadataField(_ bytes: [UInt8]) -> String? {
        guard case .metadata(let error)? = refusal(bytes) else { return nil }
        return error.field
    }

    @Test("reads a payload that another writer made")
    func complete() throws {
        let payload = try HashOnlyPayload.parse(Self.document())
        #expect(payload.flags == .everything && payload.deviceModel == "iPhone 15 Pro" && payload.osVersion == "18.1")
        #expect(payload.capturedAt == .exact(Date(timeIntervalSince1970: 1_795_244_400)))
        #expect(payload.location == PreciseLocation(latitude: 45.764, longitude: 4.8357, altitude: 173, accuracy: 5))
        #expect(payload.depth?.verdict == .real)
    }

    @Test(
        "names the member that is wrong",
        arguments: [
            ("version", "2"), ("version", "\"1\""), ("version", "true"), ("version", ""), ("media_type", "\"sound\""), ("media_type", ""),
            ("media_hash", "\"q6urq6urq6urq6urq6urq6urq6urq6urq6urq6urq6s=\""), ("media_hash", "\"ab\""), ("media_hash", ""),
            ("metadata_flags", "null"), ("metadata_flags", ""), ("metadata", "null"), ("metadata", "[]"), ("metadata", ""),
            ("depth_analysis", ""), ("assertion", "null"), ("photo", "\"\""),
        ])
    func member(name: String, value: String) { #expect(metadataField(Self.document([name: value])) == name) }

    @Test(
        "names the flag that is wrong",
        arguments: [
            (#"{"location": "precise", "timestamp": "exact"}"#, "device"),
            (#"{"location": "precise", "timestamp": "hour", "device": "full"}"#, "timestamp"),
            (#"{"location": null, "timestamp": "exact", "device": "full"}"#, "location"),
            (#"{"location": "precise", "timestamp": "exact", "device": "full", "faces": "none"}"#, "faces"),
        ])
    func flag(flags: String, field: String) {
        #expect(metadataField(Self.document(["metadata_flags": flags])) == "metadata_flags.\(field)")
    }

    @Test(
        "refuses what a flag keeps back and demands what it promises",
        arguments: [
            ("none", "none", "none", #"{"location": {"latitude": 45.76, "longitude": 4.84}}"#, "location"),
            ("none", "none", "none", #"{"location": null}"#, "location"),
            ("coarse", "none", "none", #"{"location": {"latitude": 45.764, "longitude": 4.84}}"#, "location"),
            ("coarse", "none", "none", #"{"location": {"latitude": 45.76, "longitude": 4.836}}"#, "location"),
            ("coarse", "none", "none", #"{"location": {"latitude": 45.76, "longitude": 4.84, "altitude": 1}}"#, "location.altitude"),
            ("coarse", "none", "none", #"{"location": {"latitude": 45.76, "longitude": 4.84, "accuracy": 1}}"#, "location.accuracy"),
            ("coarse", "none", "none", #"{"location": {"latitude": 45.76}}"#, "location.longitude"),
            ("coarse", "none", "none", #"{"location": null}"#, "location"),
            ("precise", "none", "none", #"{"location": {"lat": 45.764, "lng": 4.8357}}"#, "location.latitude"),
            ("precise", "none", "none", #"{"location": {"latitude": 45.764, "longitude": 1, "course": 9}}"#, "location.course"),
            ("precise", "none", "none", #"{"location": {"latitude": 45.764, "longitude": 1e999}}"#, "location.longitude"),
            ("none", "none", "none", #"{"captured_at": "2026-11-21"}"#, "captured_at"),
            ("none", "day", "none", "{}", "captured_at"),
            ("none", "day", "none", #"{"captured_at": "2026-11-21T00:00:00Z"}"#, "captured_at"),
            ("none", "day", "none", #"{"captured_at": "2026-02-30"}"#, "captured_at"),
            ("none", "exact", "none", #"{"captured_at": "2026-11-21"}"#, "captured_at"),
            ("none", "exact", "none", #"{"captured_at": "2026-11-21T07:00:00"}"#, "captured_at"),
            ("none", "exact", "none", "{}", "captured_at"),
            ("none", "none", "none", #"{"device_model": "iPhone 15 Pro"}"#, "device_model"),
            ("none", "none", "none", #"{"os_version": "18.1"}"#, "os_version"),
            ("none", "none", "model", "{}", "device_model"),
            ("none", "none", "model", #"{"device_model": "iPhone 15 Pro", "os_version": "18.1"}"#, "os_version"),
            ("none", "none", "model", #"{"device_model": "iPhone 15 Pro", "app_version": "1"}"#, "app_version"),
            ("none", "none", "full", #"{"os_version": "18.1"}"#, "device_model"),
            ("none", "none", "full", #"{"device_model": "iPhone 15 Pro", "os_version": null}"#, "os_version"),
            ("none", "none", "none", #"{"name": "x"}"#, "name"),
        ])
    func flags(location: String, time: String, device: String, metadata: String, field: String) {
        let flags = #"{"location": "\#(location)", "timestamp": "\#(time)", "device": "\#(device)"}"#
        #expect(metadataField(Self.document(["metadata_flags": flags, "metadata": metadata])) == "metadata.\(field)")
    }

    @Test("refuses doubled names at any level, and what is no JSON object")
    func form() {
        let text = String(decoding: Self.document(), as: UTF8.self)
        for (part, doubled) in [
            ("\"version\": 1", "\"version\": 1, \"version\": 1"),
            ("\"os_version\": \"18.1\"", "\"os_version\": \"18.1\", \"os_version\": \"1\""),
            ("\"altitude\": 173", "\"altitude\": 173, \"altitude\": 1"), ("\"reason\": null", "\"reason\": null, \"reason\": null"),
        ] {
            let changed = text.replacingOccurrences(of: part, with: doubled)
            #expect(changed != text)
            #expect(refusal(Array(changed.utf8)) != nil)
        }
        for text in ["", "[]", "null", "{", text + " {}", "\u{feff}" + text] { #expect(metadataField(Array(text.utf8)) == "payload") }
    }

    @Test("refuses more than 10,000 bytes")
    func size() {
        let bytes = Self.document()
        #expect(refusal(bytes + Array(repeating: 0x20, count: 10_000 - bytes.count)) == nil)
        #expect(metadataField(bytes + Array(repeating: 0x20, count: 10_001 - bytes.count)) == "payload")
    }
}
