import Foundation
import Secrets
import Testing

@testable import ObjectStorage

/// The examples of the S3 documentation, "Signature calculations for the Authorization header" and "… using query parameters".
@Suite("AWS Signature Version 4")
struct SigV4SignerTests {
    let signer = SigV4Signer(
        accessKeyID: "AKIAIOSFODNN7EXAMPLE", secretAccessKey: Secret("wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"), region: "us-east-1")
    let time = Date(timeIntervalSince1970: 1_369_353_600)

    @Test("signs a GET with a range")
    func getObject() {
        let authorization = signer.authorization(
            method: "GET", path: "/test.txt", query: [],
            headers: [
                ("Host", "examplebucket.s3.amazonaws.com"), ("Range", "bytes=0-9"), ("x-amz-content-sha256", SigV4Signer.emptyPayload),
                ("x-amz-date", "20130524T000000Z"),
            ], payloadHash: SigV4Signer.emptyPayload, at: time)
        #expect(authorization.hasSuffix("Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41"))
        #expect(authorization.contains("SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,"))
        #expect(authorization.contains("Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,"))
    }

    @Test("signs a PUT whose key needs encoding")
    func putObject() {
        let hash = "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072"
        let authorization = signer.authorization(
            method: "PUT", path: "/" + SigV4Signer.encode("test$file.text", keepingSlash: true), query: [],
            headers: [
                ("date", "Fri, 24 May 2013 00:00:00 GMT"), ("host", "examplebucket.s3.amazonaws.com"),
                ("x-amz-content-sha256", hash), ("x-amz-date", "20130524T000000Z"), ("x-amz-storage-class", "REDUCED_REDUNDANCY"),
            ], payloadHash: hash, at: time)
        #expect(authorization.hasSuffix("Signature=98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd"))
    }

    @Test(
        "signs queries with and without values",
        arguments: [
            ([("lifecycle", "")], "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543"),
            ([("max-keys", "2"), ("prefix", "J")], "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7"),
        ])
    func queries(query: [(String, String)], signature: String) {
        let authorization = signer.authorization(
            method: "GET", path: "/", query: query,
            headers: [
                ("host", "examplebucket.s3.amazonaws.com"), ("x-amz-content-sha256", SigV4Signer.emptyPayload),
                ("x-amz-date", "20130524T000000Z"),
            ], payloadHash: SigV4Signer.emptyPayload, at: time)
        #expect(authorization.hasSuffix("Signature=\(signature)"))
    }

    @Test("signs with the key of each request's day, whatever day the one before had")
    func days() {
        let another = SigV4Signer(
            accessKeyID: signer.accessKeyID, secretAccessKey: signer.secretAccessKey, region: signer.region)
        func query(_ signer: SigV4Signer, _ time: Date) -> String {
            signer.presignedQuery(method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", expires: 86_400, at: time)
        }
        let tomorrow = time.addingTimeInterval(86_400)
        let queries = [query(another, tomorrow), query(signer, time), query(signer, tomorrow), query(signer, time)]
        #expect(queries[0] == queries[2] && queries[1] == queries[3] && queries[0] != queries[1])
        #expect(queries[3].hasSuffix("&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    }

    @Test("no description contains the secret")
    func secret() throws {
        let configuration = S3Configuration(
            endpoint: try #require(URL(string: "http://127.0.0.1:9000")), region: "us-east-1", bucket: "rial",
            accessKeyID: signer.accessKeyID, secretAccessKey: signer.secretAccessKey)
        var text = "\(configuration) \(signer)"
        dump(configuration, to: &text)
        dump(signer, to: &text)
        #expect(!text.contains(signer.secretAccessKey.value) && text.contains(signer.accessKeyID))
    }

    @Test("makes presigned links")
    func presigned() {
        let query = signer.presignedQuery(
            method: "GET", host: "examplebucket.s3.amazonaws.com", path: "/test.txt", expires: 86_400, at: time)
        #expect(query.hasSuffix("&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404"))
    }
}
