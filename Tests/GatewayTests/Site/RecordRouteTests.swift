import CaptureProtocol
import Foundation
import HTTPTypes
import Hummingbird
import Models
import Persistence
import Site
import TestSupport
import Testing

@testable import Gateway

@Suite("Records from the database", .enabled(if: SiteDatabase.isConfigured, SiteDatabase.hint))
struct RecordRouteTests {
    @Test("a finished record shows its pictures and downloads, and nothing that is not public")
    func complete() async throws {
        try await SiteDatabase.with { database in
            let device = try await database.insertDevice()
            let package = Samples.Evidence(location: MetadataCheck(.pass), place: "Lyon, France").package
            let id = try await database.insertCapture(of: device, short: "Ab3dE6gH", package)
            for name in ["original.jpg", "depth.gz", "public.jpg", "c2pa.jpg", "manifest.c2pa", "depth-preview.png", "og.jpg"] {
                try await database.insertMedia(id, name)
            }
            _ = try await database.pool.query(
                """
                INSERT INTO content_credentials (capture_id, manifest_id, certificate_serial, issuer, signed_at, has_timestamp)
                VALUES (\(id.uuid), 'm', '1', 'Newsroom\u{202E} <b>', \(Samples.captured), false)
                """)
            let site = TestSite(database: database.pool)
            let response = try await site.get("/verify/\(id)")
            let html = try await response.text()
            #expect(response.status == .ok && response.headers[.robotsTag] == "noindex")
            #expect(html.contains("width=\"768\" height=\"576\"") && html.contains("Photo with credentials, 3.4 MB"))
            #expect(html.contains("\(publicURL)/media/\(id)/og.jpg") && html.contains("<bdi>Lyon, France</bdi>"))
            #expect(html.contains("<dt>Issued by</dt><dd><bdi>Newsroom &lt;b&gt;</bdi>"))
            #expect(!html.contains("Similar captures of this file</h2>"))
            let secrets = [device.description, "45.76", "4.83", "original.jpg", "depth.gz", "4071178203"]
            for secret in secrets { #expect(!html.contains(secret)) }
            let tag = try #require(response.headers[.eTag])
            #expect(try await site.get("/verify/\(id)", [.ifNoneMatch: tag]).status == .notModified)
            let short = try await site.get("/v/Ab3dE6gH?lang=es")
            #expect(short.status == .found && short.headers[.location] == "/verify/\(id)?lang=es")
            let embed = try await site.get("/oembed?url=\(publicURL)/v/Ab3dE6gH&maxwidth=600")
            #expect(try await embed.text().contains(#""type":"photo""#) && embed.headers[.accessControlAllowOrigin] == "*")
            #expect(embed.headers[.cacheControl] == "public, max-age=60, must-revalidate")
            let example = try await TestSite(
                SiteSettings(publicURL: publicURL, example: id), database: database.pool
            ).get("/").text()
            #expect(example.contains("<a class=\"photo ex\" href=\"/verify/\(id)\">"))
            #expect(!example.contains(device.description))
        }
    }

    @Test("a record that is being checked tells the model, the steps that are done, and whether the device is a test device")
    func processing() async throws {
        try await SiteDatabase.with { database in
            let device = try await database.insertDevice(development: true)
            let id = try await database.insertCapture(of: device, short: "Ab3dE6gH", nil)
            _ = try await database.pool.query(
                """
                INSERT INTO evidence_parts (capture_id, part, outcome, reason, result)
                VALUES (\(id.uuid), 'depth', 'done', NULL, '{}'), (\(id.uuid), 'attestation', 'error', 'x', NULL)
                """)
            let html = try await TestSite(database: database.pool).get("/verify/\(id)").text()
            #expect(
                html.contains("<li data-step=\"depth_analysis\" class=\"on\">") && html.contains("<li data-step=\"hardware_attestation\">"))
            #expect(html.contains("<bdi>iPhone 15 Pro</bdi>") && html.contains("id=\"band\"") && html.contains("<title>[TEST] "))
            #expect(!html.contains(device.description) && !html.contains("45.76"))
        }
    }

    @Test("captures of one file by several devices name each other; by one device they do not")
    func similar() async throws {
        try await SiteDatabase.with { database in
            let (first, second) = (try await database.insertDevice(), try await database.insertDevice())
            let one = try await database.insertCapture(of: first, short: "aaaaaaaa", Samples.Evidence().package, .medium)
            let site = TestSite(database: database.pool)
            let alone = try await site.get("/verify/\(one)").text()
            #expect(!alone.contains("Similar captures of this file</h2>"))
            let two = try await database.insertCapture(of: second, short: "bbbbbbbb", Samples.Evidence().package, .high)
            let html = try await site.get("/verify/\(one)").text()
            #expect(html.contains("2 devices registered exactly this file") && html.contains("href=\"/verify/\(two)\""))
            #expect(!html.contains(second.description))
        }
    }

    @Test("an unknown record is 404", arguments: ["/verify/0f8fad5b-d9cb-469f-a165-70867728950e", "/v/Ab3dE6gH"])
    func unknown(path: String) async throws {
        try await SiteDatabase.with { database in
            let response = try await TestSite(database: database.pool).get(path)
            #expect(response.status == .notFound)
        }
    }
}
