import Foundation
import Testing

@testable import ContentCredentials

/// The assertions of the asset rubric 0.2 of the C2PA Conformance task force for specification 2.4, on the store as the library renders it.
@Suite("Conformance with specification 2.4")
struct ConformanceTests {
    private static let allowedAssertions: Set = ["c2pa.actions.v2", "c2pa.hash.data"]

    private func activeManifest(hasDepth: Bool) throws -> [String: Any] {
        let fixture = try Fixture()
        let copy = try fixture.sign(claim: fixture.claim(Fixture.evidence(hasDepth: hasDepth)))
        let manifests = try #require(try fixture.crJSON(copy)["manifests"] as? [[String: Any]])
        #expect(manifests.count == 1)
        return try #require(manifests.first)
    }

    @Test("the claim names the specification in its generator, and only there")
    func specVersion() throws {
        let claim = try #require(try activeManifest(hasDepth: true)["claim.v2"] as? [String: Any])
        let info = claim["claim_generator_info"]
        let generator = try #require(info as? [String: Any] ?? (info as? [[String: Any]])?.first)
        #expect(generator["specVersion"] as? String == "2.4")
        #expect(generator["name"] as? String == "rial." && generator["version"] as? String == "1.0.0")
        #expect(claim["specVersion"] == nil)
    }

    @Test("the first created actions assertion has all actions, and the first action creates the picture", arguments: [true, false])
    func actions(hasDepth: Bool) throws {
        let manifest = try activeManifest(hasDepth: hasDepth)
        let assertions = try #require(manifest["assertions"] as? [String: [String: Any]])
        let actions = try #require(assertions["c2pa.actions.v2"])
        #expect(actions["allActionsIncluded"] as? Bool == true)
        let list = try #require(actions["actions"] as? [[String: Any]])
        #expect(list.map { $0["action"] as? String } == ["c2pa.created"])
        #expect(list.first?["digitalSourceType"] as? String == "http://cv.iptc.org/newscodes/digitalsourcetype/digitalCapture")
        #expect(list.first?["parameters"] == nil)
        let claim = try #require(manifest["claim.v2"] as? [String: Any])
        let created = (claim["created_assertions"] as? [[String: Any]] ?? []).compactMap { $0["url"] as? String }
        #expect(created.first { $0.contains("c2pa.actions") }?.hasSuffix("c2pa.actions.v2") == true, "\(created)")
    }

    @Test("labels are standard and current, or of a namespace of our own")
    func labels() throws {
        let manifest = try activeManifest(hasDepth: true)
        #expect((manifest["label"] as? String)?.hasPrefix("urn:c2pa:") == true)
        let labels = try #require(manifest["assertions"] as? [String: Any]).keys
        let standard = Set(labels.filter { $0.hasPrefix("c2pa.") || $0.hasPrefix("stds.") })
        #expect(standard == Self.allowedAssertions, "\(labels)")
        #expect(labels.filter { !$0.hasPrefix("c2pa.") }.allSatisfy { $0.hasPrefix("app.rial.") })
        let binding = try #require((manifest["assertions"] as? [String: [String: Any]])?["c2pa.hash.data"])
        #expect(binding["url"] == nil)
    }

    @Test("the library finds nothing malformed and nothing that does not match")
    func validation() throws {
        let results = try #require(try activeManifest(hasDepth: true)["validationResults"] as? [String: Any])
        #expect((results["failure"] as? [Any])?.isEmpty == true, "\(results)")
        #expect((results["success"] as? [Any])?.isEmpty == false)
    }
}
