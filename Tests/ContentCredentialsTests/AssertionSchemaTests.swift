import Foundation
import Models
import Site
import TestSupport
import Testing

@testable import ContentCredentials

@Suite("Assertion schemas")
struct AssertionSchemaTests {
    private static let labels = ["app.rial.attestation.v1", "app.rial.depth_analysis.v1", "app.rial.confidence.v1"]
    private static let videoLabels = labels + ["app.rial.hash_chain.v1", "app.rial.video.v1"]

    private func schema(_ label: String) throws -> [String: Any] {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        let data = try Data(contentsOf: root.appendingPathComponent("docs/schemas/\(label).schema.json"))
        return try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
    }

    /// The assertion's data in the definition.
    private func data(_ label: String, hasDepth: Bool) throws -> [String: Any] {
        try data(label, of: Fixture.evidence(hasDepth: hasDepth))
    }

    /// Of a video of the page's samples.
    private func data(_ label: String, video: String) throws -> [String: Any] {
        try data(label, of: try #require(Samples.video(named: video).evidence))
    }

    private func data(_ label: String, of evidence: EvidencePackage) throws -> [String: Any] {
        let definition = try Fixture().claim(evidence).definition()
        let root = try #require(try JSONSerialization.jsonObject(with: Data(definition.utf8)) as? [String: Any])
        let assertions = try #require(root["assertions"] as? [[String: Any]])
        return try #require(assertions.first { $0["label"] as? String == label }?["data"] as? [String: Any])
    }

    @Test("match the signed assertions", arguments: labels, [true, false])
    func hold(label: String, hasDepth: Bool) throws {
        let schema = try schema(label)
        #expect(schema["$schema"] as? String == "https://json-schema.org/draft/2020-12/schema")
        #expect(SchemaCheck.defects(of: try data(label, hasDepth: hasDepth), by: schema) == [])
    }

    @Test("match the signed assertions of videos, whole and partial", arguments: videoLabels, ["whole", "partial", "undecided"])
    func videos(label: String, video: String) throws {
        #expect(SchemaCheck.defects(of: try data(label, video: video), by: try schema(label)) == [])
    }

    @Test("name exactly the signed fields of photos and videos", arguments: videoLabels)
    func complete(label: String) throws {
        let properties = try #require(try schema(label)["properties"] as? [String: Any])
        var signed = Set(try data(label, video: "whole").keys).union(try data(label, video: "partial").keys)
        if Self.labels.contains(label) { signed.formUnion(try data(label, hasDepth: true).keys) }
        #expect(Set(properties.keys) == signed)
    }

    @Test("do not match a place, a wrong word or a missing field")
    func defects() throws {
        let schema = try schema("app.rial.confidence.v1")
        let sound = try data("app.rial.confidence.v1", hasDepth: true)
        #expect(SchemaCheck.defects(of: sound.merging(["latitude": 1]) { $1 }, by: schema) == ["latitude: not allowed"])
        #expect(SchemaCheck.defects(of: sound.merging(["level": "HIGH"]) { $1 }, by: schema) == ["level: not one of the words"])
        #expect(SchemaCheck.defects(of: sound.filter { $0.key != "checks" }, by: schema) == ["checks: missing"])
    }
}

/// Validates the subset of JSON Schema that our schemas use.
private enum SchemaCheck {
    static func defects(of value: Any, by schema: [String: Any], at path: String = "") -> [String] {
        if let words = schema["enum"] as? [String] {
            return words.contains(value as? String ?? "") ? [] : ["\(path): not one of the words"]
        }
        switch schema["type"] as? String {
        case "string": return value is String ? [] : ["\(path): no string"]
        case "boolean": return value is Bool ? [] : ["\(path): no boolean"]
        case "number", "integer":
            guard let number = value as? Double else { return ["\(path): no number"] }
            let isInside = number >= schema["minimum"] as? Double ?? -.infinity && number <= schema["maximum"] as? Double ?? .infinity
            let isWhole = schema["type"] as? String == "number" || number == number.rounded()
            return isInside && isWhole ? [] : ["\(path): \(number)"]
        case "object":
            guard let object = value as? [String: Any] else { return ["\(path): no object"] }
            let properties = schema["properties"] as? [String: [String: Any]] ?? [:]
            let missing = (schema["required"] as? [String] ?? []).filter { object[$0] == nil }.map { "\($0): missing" }
            return missing
                + object.keys.sorted().flatMap { key -> [String] in
                    guard let value = object[key] else { return [] }
                    if let property = properties[key] { return defects(of: value, by: property, at: key) }
                    if let other = schema["additionalProperties"] as? [String: Any] { return defects(of: value, by: other, at: key) }
                    return ["\(key): not allowed"]
                }
        default: return ["\(path): the schema has no type"]
        }
    }
}
