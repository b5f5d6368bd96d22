import Foundation
import Testing

@testable import ObjectStorage

@Suite("XML of the object store")
struct S3XMLTests {
    private func page(_ text: String) throws -> ObjectPage { try S3XML.objectPage(Data(text.utf8)) }

    @Test("a page of objects is read, with its continuation")
    func listing() throws {
        let page = try page(
            """
            <?xml version="1.0" encoding="UTF-8"?>
            <ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>rial</Name><IsTruncated>true</IsTruncated>
            <Contents><Key>a &amp; b/&#x1F4F7;.jpg</Key><LastModified>2026-11-25T02:43:00.250Z</LastModified><ETag>&quot;1f&quot;</ETag><Size>9007199254740993</Size></Contents>
            <Contents><Key>c</Key><LastModified>2026-11-25T02:43:00Z</LastModified><Size>x</Size></Contents><Contents><Size>1</Size></Contents>
            <NextContinuationToken>next</NextContinuationToken></ListBucketResult>
            """)
        #expect(page.objects.map(\.key) == ["a & b/📷.jpg", "c"])
        #expect(page.objects.map(\.sizeBytes) == [9_007_199_254_740_993, 0])
        #expect(page.objects.map(\.etag) == ["\"1f\"", ""])
        #expect(page.objects.map { $0.lastModified?.timeIntervalSince1970 } == [1_795_574_580.25, 1_795_574_580])
        #expect(page.continuation == "next")
    }

    @Test("a page that is the last one has no continuation, whatever else it says")
    func last() throws {
        let page = try page("<L><IsTruncated>false</IsTruncated><NextContinuationToken>next</NextContinuationToken></L>")
        #expect(page.continuation == nil)
        #expect(page.objects.isEmpty)
    }

    @Test("text in pieces is one text: CDATA, references and other encodings")
    func pieces() throws {
        #expect(try S3XML.uploadID(Data("<R><UploadId>a<![CDATA[<b>]]>&lt;<!-- no -->c</UploadId></R>".utf8)) == "a<b><c")
        let utf16 = try #require("<R><UploadId>é</UploadId></R>".data(using: .utf16))
        #expect(try S3XML.uploadID(utf16) == "é")
    }

    @Test("unfinished uploads are read; those without an identifier are not listed")
    func uploads() throws {
        let found = try S3XML.uploads(
            Data("<R><Upload><Key>k</Key><UploadId>u</UploadId></Upload><Upload><Key>l</Key><UploadId></UploadId></Upload></R>".utf8))
        #expect(found.map(\.key) == ["k"])
        #expect(found.map(\.id) == ["u"])
    }

    @Test("the code of an error is read; of anything else there is none")
    func codes() {
        #expect(S3XML.errorCode(Data("<Error><Code>NoSuchKey</Code><Message>m</Message></Error>".utf8)) == "NoSuchKey")
        for text in ["", "no xml", "<Error>", "<Error><A><Code>x</Code></A></Error>"] { #expect(S3XML.errorCode(Data(text.utf8)) == nil) }
    }

    @Test(
        "what is no XML, or could make much of little, is refused",
        arguments: [
            "", "<", "<L>", "<L></M>", "<L/><L/>", "<L>&nowhere;</L>", "<L a='1' a='1'/>", "\u{0}<L/>", "<L>\u{1}</L>",
            "<!DOCTYPE L [<!ENTITY a \"b\">]><L>&a;</L>", "<!DOCTYPE L SYSTEM \"file:///etc/passwd\"><L/>",
            String(repeating: "<a>", count: 17) + String(repeating: "</a>", count: 17),
        ])
    func refused(text: String) {
        #expect(throws: ObjectStorageError.self) { try page(text) }
    }

    @Test("sixteen levels are read")
    func deep() throws {
        #expect(try page(String(repeating: "<a>", count: 16) + String(repeating: "</a>", count: 16)).objects.isEmpty)
    }

    @Test("bytes that are no UTF-8, and every beginning of an answer, are refused and crash nothing")
    func damaged() throws {
        #expect(throws: ObjectStorageError.self) { try S3XML.objectPage(Data([0x3c, 0x61, 0x3e, 0xff, 0xfe, 0x3c, 0x2f, 0x61, 0x3e])) }
        let whole = Data("<L><Contents><Key>é</Key></Contents></L>".utf8)
        for length in 0..<whole.count {
            #expect(throws: ObjectStorageError.self, "the first \(length) bytes") { try S3XML.objectPage(whole.prefix(length)) }
        }
        #expect(try S3XML.objectPage(whole).objects.map(\.key) == ["é"])
    }
}
