import Foundation
import Messaging
import Models
import TestSupport
import Testing

/// Produces records like an attacker with access to the broker.
struct Forger: Sendable {
    let stack: LocalStack
    let producer: KafkaProducer

    init(_ stack: LocalStack) throws {
        self.stack = stack
        producer = try stack.producer()
    }

    /// Produces a record in the services' own format.
    /// - Returns: its event id.
    @discardableResult
    func send(_ topic: Topic, key: String, _ body: [String: Any], id: String = UUID().uuidString.lowercased()) async throws -> String {
        let value = Array(try JSONSerialization.data(withJSONObject: body))
        let headers = [("ce_specversion", "1.0"), ("ce_id", id), ("ce_type", topic.rawValue), ("ce_source", "/rial/evidence-assembler")]
        try await producer.send(
            topic: topic.rawValue, key: Array(key.utf8), value: value,
            headers: headers.map { KafkaHeader(name: $0.0, value: Array($0.1.utf8)) })
        return id
    }

    /// Produces forged results for all parts of the capture, with the findings inside the records.
    func parts(of id: String, mediaFrom other: String) async throws -> [Topic: [String]] {
        let measurements: [String: Any] = [
            "depth_variance": 1.1, "depth_layers": 9, "edge_coherence": 0.9, "min_depth": 0.4, "max_depth": 5.2, "relief": 0.93,
            "coverage": 1, "verdict": "real", "specified_rule": true, "method": "relief-1", "rotation": 0,
        ]
        let results: [(Topic, [String: Any])] = [
            (
                .attestationAppraised,
                [
                    "status": "pass", "level": "secure_enclave", "environment": "production", "development_attestation": false,
                    "device_model": "iPhone 15 Pro", "binding": "photo+depth+metadata", "counter": 4_000_000, "out_of_order": false,
                ]
            ),
            (.depthAnalyzed, ["measurements": measurements]),
            (.mediaSynced, ["objects": try await objects(of: other)]),
        ]
        var sent: [Topic: [String]] = [:]
        for (topic, result) in results {
            sent[topic, default: []].append(
                try await send(topic, key: id, ["capture_id": id, "outcome": "done", "result": result, "findings": result]))
        }
        return sent
    }

    /// Produces failures of all parts of the capture.
    func errors(of id: String) async throws -> [Topic: [String]] {
        var sent: [Topic: [String]] = [:]
        for topic in [Topic.attestationAppraised, .depthAnalyzed, .mediaSynced] {
            sent[topic, default: []].append(
                try await send(topic, key: id, ["capture_id": id, "outcome": "error", "reason": "intake_missing"]))
        }
        return sent
    }

    /// Produces announcements that the capture is final.
    func ends(of id: String) async throws {
        let bodies: [[String: Any]] = [
            ["capture_id": id, "status": "complete", "confidence_level": "high"],
            ["capture_id": id, "status": "failed", "failure": "intake_missing"],
        ]
        for body in bodies { try await send(.evidenceAssembled, key: id, body) }
    }

    /// Announces the capture with the device, media and metadata of another.
    func received(_ id: String, as other: String) async throws -> String {
        let rows = try await stack.sql("SELECT announcement FROM captures WHERE id = '\(other)'")
        let row = try #require(rows.first)
        var body = try #require(try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
        body["capture_id"] = id
        return try await send(.captureReceived, key: id, body)
    }

    struct Sent: Sendable {
        let topic: Topic
        let key: String
        let id: String
    }

    static let subject = String(repeating: "5b", count: 16)
    static let commitment = String(repeating: "c0", count: 32)

    /// Produces a record that has everything that a leaf is made of, and what other events have.
    func statement(on topic: Topic, key: String, about capture: String, by device: String) async throws -> Sent {
        let leaf = "rial.leaf/1\nrevocation\n1793534402\n\(Self.subject)\n\(Self.commitment)\n"
        let body: [String: Any] = [
            "capture_id": capture, "device_id": device, "registration_id": capture, "status": "complete", "confidence_level": "high",
            "outcome": "done", "kind": "revocation", "reason": "device_revoked", "subject": Self.subject, "sequence": 1,
            "time": 1_793_534_402, "commitment": Self.commitment, "leaf": leaf, "origin": "rial.example/log/2026", "leaf_index": 0,
            "statements": [["kind": "revocation", "subject": Self.subject, "commitment": Self.commitment, "time": 1_793_534_402]],
        ]
        return Sent(topic: topic, key: key, id: try await send(topic, key: key, body))
    }

    /// Waits until each consumer has handled each of them or given it up.
    func awaitEnded(_ sent: [Sent]) async throws {
        for record in sent {
            for service in Topic.consumers.first(where: { $0.topic == record.topic })?.services ?? [] {
                let inbox = "SELECT count(*) FROM \(service.tablePrefix)_inbox WHERE event_id = '\(record.id)'"
                try await eventually("\(service) has ended with a forged record of \(record.topic)") {
                    if try await stack.sql(inbox) == ["1"] { return true }
                    return try await !stack.records(of: record.topic.deadLetters(of: service), key: record.key).isEmpty
                }
            }
        }
    }

    private func objects(of id: String) async throws -> [String: Any] {
        let rows = try await stack.sql(
            """
            SELECT json_object_agg(name, json_build_object('key', object_key, 'sha256', encode(sha256, 'hex'), 'size_bytes', size_bytes,
                'content_type', content_type)) FROM media_objects WHERE capture_id = '\(id)'
            """)
        let row = try #require(rows.first)
        return try #require(try JSONSerialization.jsonObject(with: Data(row.utf8)) as? [String: Any])
    }
}

/// Records that are not events.
struct Garbage: Sendable {
    let value: [UInt8]?
    let headers: [KafkaHeader]

    static let all: [Garbage] = {
        let id = { KafkaHeader(name: "ce_id", value: Array(UUID().uuidString.lowercased().utf8)) }
        let texts = [
            "", "null", "true", "{}", "[]", "\"\"", "{\"capture_id\": 7}", "{\"capture_id\": {\"id\": []}}", "{\"registration_id\": null}",
            "{\"capture_id\": \"'; DROP TABLE captures; --\", \"outcome\": \"done\"}",
            "{\"capture_id\": \"\(UUID())\", \"type\": \"hologram\", \"mode\": \"full\", \"outcome\": \"perhaps\", \"status\": \"best\"}",
            String(repeating: "[", count: 60_000), String(repeating: "{\"a\":", count: 20_000), "{\"capture_id\": \"\\u0000\"}",
            // A single character of half a megabyte.
            "{\"capture_id\": \"\(UUID())\", \"outcome\": \"e\(String(repeating: "\u{301}", count: 240_000))\"}",
        ]
        let garbage = texts.map { Garbage(value: Array($0.utf8), headers: [id()]) }
        let sound = Array("{\"capture_id\": \"\(UUID().uuidString.lowercased())\", \"outcome\": \"done\"}".utf8)
        return garbage + [
            Garbage(value: nil, headers: [id()]), Garbage(value: nil, headers: []),
            Garbage(value: [0xff, 0xfe, 0, 0xc0, 0x80], headers: [id()]),
            Garbage(value: [UInt8](repeating: UInt8(ascii: "7"), count: 900_000), headers: [id()]),
            Garbage(value: sound, headers: []),
            Garbage(value: sound, headers: [KafkaHeader(name: "ce_id", value: Array("no-uuid".utf8))]),
            Garbage(value: sound, headers: [KafkaHeader(name: "ce_id", value: nil)]),
            Garbage(value: sound, headers: [id(), id(), KafkaHeader(name: "traceparent", value: [UInt8](repeating: 0x2d, count: 20_000))]),
        ]
    }()
}
