import CaptureProtocol
import Foundation
import Models
import Testing

@testable import ContentCredentials

@Suite("Bounds of a report")
struct ReportBoundTests {
    private func report(
        _ manifest: [String: Any], state: String = "Trusted", list: String? = "urn:rial:trust:v1", deltas: [[String: Any]] = []
    ) throws -> CredentialReport? {
        let codes = (0..<300).map { ["code": "c\($0)", "url": String(repeating: "u", count: 5_000)] }
        var results: [String: Any] = ["activeManifest": ["failure": [["code": "f"]], "success": codes]]
        results["trustListUri"] = list
        results["ingredientDeltas"] = deltas
        let root: [String: Any] = [
            "validation_state": state, "active_manifest": "m", "manifests": ["m": manifest], "validation_results": results,
        ]
        return CredentialReport(readerJSON: try JSONSerialization.data(withJSONObject: root), at: .now)
    }

    @Test("holds for texts, lists and data")
    func bounds() throws {
        // A single character of 50,001 scalars.
        let title = "e" + String(repeating: "\u{301}", count: 50_000)
        let assertions: [[String: Any]] = (0..<300).map {
            ["label": "app.rial.\($0)", "data": ["x": String(repeating: "x", count: $0 == 0 ? 20_000 : 10)]]
        }
        let report = try #require(try report(["title": title, "assertions": assertions]))
        #expect(report.title?.unicodeScalars.count == 1_000)
        #expect(report.assertions.count == 100)
        #expect(report.assertions[0].data == nil)
        #expect(report.assertions[1].data == #"{"x":"xxxxxxxxxx"}"#)
        #expect(report.validationCodes.count == 100)
        #expect(report.validationCodes.first?.kind == .failure)
        #expect(report.validationCodes.last?.url?.count == 1_000)
    }

    @Test("passes over fields of the wrong type")
    func types() throws {
        let report = try #require(
            try report([
                "title": 5, "claim_version": "two", "claim_generator_info": "x", "ingredients": "x", "signature_info": [1],
                "assertions": ["x": 1],
            ]))
        #expect(report.title == nil && report.claimVersion == nil && report.generator == nil && report.ingredients == 0)
        #expect(report.assertions.isEmpty && report.issuer == nil)
        #expect(CredentialReport(readerJSON: Data("[]".utf8), at: .now) == nil)
        #expect(CredentialReport(readerJSON: Data(String(repeating: "[", count: 100_000).utf8), at: .now) == nil)
    }

    @Test("lists the failures of ingredients, marked, after those of the file and before everything else")
    func ingredients() throws {
        let delta: [String: Any] = [
            "ingredientAssertionURI": "self#jumbf=/c2pa/m/c2pa.assertions/c2pa.ingredient.v3",
            "validationDeltas": ["failure": [["code": "assertion.dataHash.mismatch"]], "success": [["code": "claimSignature.validated"]]],
        ]
        let known: [String: Any] = ["validation_results": ["activeManifest": ["failure": [["code": "assertion.hashedURI.mismatch"]]]]]
        let older: [String: Any] = ["validation_status": [["code": "claimSignature.mismatch"]]]
        let report = try #require(
            try report(["ingredients": [known, older, "x", ["validation_status": 1]]], deltas: Array(repeating: delta, count: 2)))
        let codes = report.validationCodes.prefix(5)
        #expect(
            codes.map(\.code) == [
                "f", "assertion.dataHash.mismatch", "assertion.dataHash.mismatch", "assertion.hashedURI.mismatch",
                "claimSignature.mismatch",
            ])
        #expect(codes.map(\.ingredient) == [nil, true, true, true, true] && codes.allSatisfy { $0.kind == .failure })
        #expect(codes[1].url == "self#jumbf=/c2pa/m/c2pa.assertions/c2pa.ingredient.v3")
        #expect(report.validationCodes.count == 100)
        let flood = try #require(try self.report([:], deltas: Array(repeating: delta, count: 5_000)))
        #expect(flood.validationCodes.count == 100 && flood.validationCodes[0].code == "f")
    }

    @Test("says of a file that does not hold nothing that its maker recorded of the ingredients", arguments: ["Invalid", "Trusted"])
    func recorded(state: String) throws {
        let statuses = ["ingredient.unknownProvenance", "Taken by Ann, see evil.example", "", String(repeating: "c", count: 129)].map {
            ["code": $0]
        }
        let parts: [[String: Any]] = [
            ["validation_status": statuses], ["validation_results": ["activeManifest": ["failure": statuses]]],
        ]
        let delta: [String: Any] = ["validationDeltas": ["failure": statuses + [["code": "assertion.dataHash.mismatch"]]]]
        let codes = try #require(try report(["ingredients": parts], state: state, deltas: [delta])).validationCodes
        let found = ["ingredient.unknownProvenance", "assertion.dataHash.mismatch"]
        let recorded = state == "Trusted" ? ["ingredient.unknownProvenance", "ingredient.unknownProvenance"] : []
        #expect(codes.filter { $0.ingredient == true }.map(\.code) == found + recorded)
    }

    @Test("says nothing recorded either where the certificate of a claim of version 1 has run out")
    func recordedByExpired() throws {
        let root: [String: Any] = [
            "validation_state": "Trusted", "active_manifest": "m",
            "manifests": [
                "m": [
                    "claim_version": 1, "signature_info": ["time": "2020-01-01T00:00:00+00:00"],
                    "ingredients": [["validation_status": [["code": "claimSignature.mismatch"]]]],
                ]
            ], "validation_results": ["trustListUri": "urn:rial:trust:v1"],
        ]
        let past = CertificateDates(notBefore: .distantPast, notAfter: .distantPast)
        let json = try JSONSerialization.data(withJSONObject: root)
        let report = try #require(CredentialReport(readerJSON: json, at: .now, signerDates: { _ in past }))
        #expect(report.state == .invalid && report.validationCodes.map(\.code) == ["signingCredential.expired"])
        #expect(CredentialsFinding(ManifestInfo(report)) == .expired)
    }

    @Test("trusts only listed signers", arguments: [nil, "urn:rial:timestamp:v1", "other"])
    func otherList(list: String?) throws {
        #expect(try report([:], list: list)?.state == .valid)
        #expect(try report([:])?.state == .trusted)
        #expect(try report([:])?.voucher == .listed && report([:], list: "urn:rial:own:v1")?.voucher == .own)
        #expect(try report([:], state: "Splendid")?.state == .unreadable)
    }

    @Test(
        "names foreign generators by what they say",
        arguments: [
            (#"{"claim_generator": "make/1 lib/2", "claim_generator_info": [{"name": "x"}]}"#, "make/1 lib/2"),
            (#"{"claim_generator_info": [{"name": "rial.", "version": "1.0.0"}]}"#, "rial./1.0.0"),
            (#"{"claim_generator_info": [{"name": "app"}]}"#, "app"),
        ])
    func generator(json: String, expected: String) throws {
        let manifest = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        #expect(try report(manifest)?.generator == expected)
    }

    @Test("survives its own JSON")
    func coding() throws {
        let fixture = try Fixture()
        let report = try fixture.read(fixture.sign().copy)
        let json = try WireJSON.encode(report)
        #expect(try WireJSON.decode(CredentialReport.self, from: json) == report)
        #expect(String(decoding: json, as: UTF8.self).contains(#""active_manifest":"urn:c2pa:"#))
    }
}
