import Foundation
import Hummingbird
import Models

/// `/verify/{id}` and `/v/{short}`: what a capture's evidence says, for people. Works without JavaScript.
struct PagesController: Sendable {
    let captures: CaptureRepository
    let links: MediaLinks

    func addRoutes(to router: Router<GatewayContext>, table: inout RouteTable) {
        router.get("/verify/{id}") { _, context in
            guard let id = CaptureID(try context.parameters.require("id")), let row = try await self.captures.find(id) else {
                return Self.page(.notFound, title: "No such capture", body: "<p>There is no capture at this address.</p>")
            }
            return self.show(row)
        }
        router.get("/v/{short}") { _, context in
            let short = try context.parameters.require("short")
            guard ShortID.isValid(short), let row = try await self.captures.find(shortID: short) else {
                return Self.page(.notFound, title: "No such capture", body: "<p>There is no capture at this address.</p>")
            }
            return Response(status: .found, headers: [.location: "/verify/\(row.id)"])
        }
        table.add("/verify/{id}", ["GET", "HEAD"])
        table.add("/v/{short}", ["GET", "HEAD"])
    }

    private func show(_ row: CaptureRow) -> Response {
        var body = ""
        switch row.status {
        case .processing: body = "<p>This capture is being checked. This page looks again by itself.</p>"
        case .failed: body = "<p>This capture could not be checked: <code>\(Self.escape(row.failure ?? "unknown"))</code>.</p>"
        case .complete: body = evidence(row)
        }
        return Self.page(.ok, title: "Capture \(row.shortID)", body: body, refresh: row.status == .processing)
    }

    private func evidence(_ row: CaptureRow) -> String {
        guard let evidence = row.evidence, let confidence = row.confidence else { return "" }
        let checks: [(String, CheckStatus, String?)] = [
            ("Hardware attestation", evidence.hardwareAttestation.status, evidence.hardwareAttestation.reason),
            ("Depth analysis", evidence.depthAnalysis.status, evidence.depthAnalysis.reason),
            ("Time", evidence.metadata.timestamp.status, evidence.metadata.timestamp.reason),
            ("Model", evidence.metadata.model.status, evidence.metadata.model.reason),
            ("Resolution", evidence.metadata.resolution.status, evidence.metadata.resolution.reason),
            ("Location", evidence.metadata.location.status, evidence.metadata.location.reason),
        ]
        let rows = checks.map { name, status, reason in
            "<tr><th scope=row>\(name)</th><td>\(status.rawValue)</td><td>\(Self.escape(reason ?? ""))</td></tr>"
        }
        let picture =
            row.mediaNames.contains("thumbnail.jpg")
            ? "<img src=\"\(links.path(row.id, "thumbnail.jpg", at: Date()))\" alt=\"The photo\">" : ""
        let development =
            evidence.hardwareAttestation.developmentAttestation
            ? "<p><strong>Development attestation: this device is not vouched for by Apple.</strong></p>" : ""
        return """
            <p>The evidence for this capture is <strong>\(confidence.rawValue.uppercased())</strong>.</p>\(development)\(picture)
            <table><caption>Checks</caption>\(rows.joined())</table>
            <p>Captured \(Timestamp.format(row.capturedAt)), received \(Timestamp.format(row.uploadedAt)).
            \(Self.escape(evidence.metadata.locationCoarse ?? "Location not provided")).</p>
            """
    }

    static func page(_ status: HTTPResponse.Status, title: String, body: String, refresh: Bool = false) -> Response {
        let html = """
            <!doctype html><html lang=en><head><meta charset=utf-8><meta name=viewport content="width=device-width">
            <meta name=robots content=noindex>\(refresh ? "<meta http-equiv=refresh content=2>" : "")
            <title>\(escape(title)) — rial.</title></head><body><main><h1>\(escape(title))</h1>\(body)</main></body></html>
            """
        return Response(
            status: status,
            headers: [
                .contentType: "text/html; charset=utf-8", .cacheControl: "no-cache",
                .contentSecurityPolicy: "default-src 'none'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
            ],
            body: .init(byteBuffer: ByteBuffer(string: html)))
    }

    static func escape(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
            .replacing("\"", with: "&quot;").replacing("'", with: "&#39;")
    }
}
