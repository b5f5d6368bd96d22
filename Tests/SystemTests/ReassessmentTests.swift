import Foundation
import TestSupport
import Testing

extension SystemTests {
    /// `rial admin reassess`, carried out by the services.
    @Suite("Captures that an operator has assessed again", .timeLimit(.minutes(6)))
    struct Reassessments {
        @Test("get the present verdict, beside which the page and the bundle keep the earlier one")
        func again() async throws {
            let (stack, client) = (try LocalStack.required(), try TestClient.current())
            var device = try await client.device()
            let id = try await client.capture(&device, CaptureParts())
            #expect(try await client.settled(id).data["confidence_level"] as? String == "high")
            try await stack.assessOtherwise(id)
            let asked = try await stack.rial(["admin", "reassess", "--method", "relief-0"])
            #expect(asked.contains("1 capture by relief-0 will be assessed again"))
            try await stack.awaitReassessment(of: id)
            let shown = try await client.show(id)
            #expect(shown.data["confidence_level"] as? String == "medium")
            try await eventually("the log has both statements") {
                try await stack.sql(
                    "SELECT count(*) FROM statements JOIN log_entries USING (commitment) WHERE capture_id = '\(id)'") == ["2"]
            }
            let page = try await client.send("GET", "/verify/\(id)").text
            #expect(page.contains("<b>MEDIUM</b>") && page.contains("Its verdict before was: HIGH confidence."))
            let copy = try await client.send("GET", stack.link(id, "c2pa.jpg", expires: Date().addingTimeInterval(60)))
            #expect(copy.status == 200)
            let known = try await client.verify([FormPart("file", copy.body, filename: "photo.jpg")])
            #expect(known.status == 200 && known.data["status"] as? String == "verified")
            try await eventually("a bundle has both") {
                let bundle = try await client.send("GET", "\(TestClient.captures)/\(id)/bundle")
                return bundle.status == 200 && bundle.text.contains("1/statement.json")
            }
        }
    }
}

extension LocalStack {
    /// Makes a capture one that was assessed by a method of before, `relief-0`, and would be assessed otherwise now.
    func assessOtherwise(_ id: String) async throws {
        _ = try await sql(
            "UPDATE captures SET evidence = jsonb_set(evidence, '{algorithm_versions,depth}', '\"relief-0\"') WHERE id = '\(id)'")
        _ = try await sql(
            """
            UPDATE evidence_parts SET result = jsonb_set(result, '{has_lidar}', 'false') WHERE capture_id = '\(id)' AND part = 'attestation'
            """)
    }

    func awaitReassessment(of id: String) async throws {
        try await eventually("the capture is assessed again") {
            try await sql("SELECT outcome FROM reassessments WHERE capture_id = '\(id)'") == ["reassessed"]
        }
    }
}
