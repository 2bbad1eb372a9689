/** Sentences that the service itself says in a chat, in the languages of the chat page. */
interface Sentences {
  invalidAnswer: string
  invalidEmail: string
  noPayment: string
  notPaid: string
  paymentPending: string
  paymentUnknown: string
  paidBefore: string
}

export const sentences: Record<string, Sentences> = {
  en: {
    invalidAnswer: 'That answer cannot be used here. Please try again.',
    invalidEmail: 'That does not look like an e-mail address. Please type it again.',
    noPayment: 'This chat asks for a payment, which is not possible here. It ends now, and nothing was paid.',
    notPaid: 'The payment has not arrived. Please try again.',
    paymentPending: 'The payment is still being confirmed. The chat goes on once it is.',
    paymentUnknown: 'It is not known yet whether the payment was made. Please try again in a moment.',
    paidBefore:
      'A payment was made, but the amount has changed since. The chat ends here, so that nothing is paid twice; please contact the provider of this chat.',
  },
  de: {
    invalidAnswer: 'Diese Antwort passt hier nicht. Bitte versuchen Sie es noch einmal.',
    invalidEmail: 'Das sieht nicht wie eine E-Mail-Adresse aus. Bitte geben Sie sie noch einmal ein.',
    noPayment:
      'Dieser Chat fragt nach einer Zahlung, die hier nicht möglich ist. Er endet jetzt, und es wurde nichts bezahlt.',
    notPaid: 'Die Zahlung ist nicht angekommen. Bitte versuchen Sie es noch einmal.',
    paymentPending: 'Die Zahlung wird noch bestätigt. Danach geht der Chat weiter.',
    paymentUnknown:
      'Ob die Zahlung erfolgt ist, lässt sich gerade nicht feststellen. Bitte versuchen Sie es gleich noch einmal.',
    paidBefore:
      'Es wurde bezahlt, aber der Betrag hat sich seitdem geändert. Damit nichts doppelt bezahlt wird, endet der Chat hier; bitte wenden Sie sich an den Anbieter dieses Chats.',
  },
  fr: {
    invalidAnswer: 'Cette réponse ne convient pas ici. Veuillez réessayer.',
    invalidEmail: 'Cela ne ressemble pas à une adresse e-mail. Veuillez la saisir à nouveau.',
    noPayment:
      'Ce chat demande un paiement, ce qui n’est pas possible ici. Il se termine maintenant, et rien n’a été payé.',
    notPaid: 'Le paiement n’est pas arrivé. Veuillez réessayer.',
    paymentPending: 'Le paiement est en cours de confirmation. Le chat continuera ensuite.',
    paymentUnknown:
      'Il est impossible de savoir pour l’instant si le paiement a été effectué. Veuillez réessayer dans un instant.',
    paidBefore:
      'Un paiement a été effectué, mais le montant a changé depuis. Le chat s’arrête ici pour que rien ne soit payé deux fois ; veuillez contacter le fournisseur de ce chat.',
  },
  es: {
    invalidAnswer: 'Esa respuesta no se puede usar aquí. Inténtelo de nuevo.',
    invalidEmail: 'Eso no parece una dirección de correo electrónico. Escríbala de nuevo.',
    noPayment: 'Este chat pide un pago, lo que aquí no es posible. Termina ahora y no se ha pagado nada.',
    notPaid: 'El pago no ha llegado. Inténtelo de nuevo.',
    paymentPending: 'El pago aún se está confirmando. El chat continuará después.',
    paymentUnknown: 'Por ahora no se sabe si el pago se ha realizado. Inténtelo de nuevo en un momento.',
    paidBefore:
      'Se ha realizado un pago, pero el importe ha cambiado desde entonces. El chat termina aquí para que nada se pague dos veces; póngase en contacto con el proveedor de este chat.',
  },
  it: {
    invalidAnswer: 'Questa risposta non può essere usata qui. Riprovi.',
    invalidEmail: 'Non sembra un indirizzo e-mail. Lo scriva di nuovo.',
    noPayment:
      'Questa chat chiede un pagamento, che qui non è possibile. Termina ora e non è stato pagato nulla.',
    notPaid: 'Il pagamento non è arrivato. Riprovi.',
    paymentPending: 'Il pagamento è ancora in fase di conferma. Poi la chat continuerà.',
    paymentUnknown: 'Al momento non si sa se il pagamento sia stato effettuato. Riprovi tra poco.',
    paidBefore:
      'È stato effettuato un pagamento, ma nel frattempo l’importo è cambiato. La chat termina qui perché nulla venga pagato due volte; contatti il fornitore di questa chat.',
  },
  pt: {
    invalidAnswer: 'Essa resposta não pode ser usada aqui. Tente novamente.',
    invalidEmail: 'Isso não parece um endereço de e-mail. Digite-o novamente.',
    noPayment: 'Este chat pede um pagamento, o que não é possível aqui. Ele termina agora, e nada foi pago.',
    notPaid: 'O pagamento não chegou. Tente novamente.',
    paymentPending: 'O pagamento ainda está sendo confirmado. Depois o chat continua.',
    paymentUnknown: 'Ainda não se sabe se o pagamento foi feito. Tente novamente em instantes.',
    paidBefore:
      'Um pagamento foi feito, mas o valor mudou desde então. O chat termina aqui para que nada seja pago duas vezes; entre em contato com o fornecedor deste chat.',
  },
  nl: {
    invalidAnswer: 'Dat antwoord kan hier niet worden gebruikt. Probeer het opnieuw.',
    invalidEmail: 'Dat lijkt geen e-mailadres te zijn. Typ het opnieuw.',
    noPayment:
      'Deze chat vraagt om een betaling, wat hier niet mogelijk is. De chat stopt nu en er is niets betaald.',
    notPaid: 'De betaling is niet aangekomen. Probeer het opnieuw.',
    paymentPending: 'De betaling wordt nog bevestigd. Daarna gaat de chat verder.',
    paymentUnknown: 'Het is nu niet bekend of er is betaald. Probeer het zo meteen opnieuw.',
    paidBefore:
      'Er is betaald, maar het bedrag is sindsdien veranderd. De chat stopt hier, zodat niets dubbel wordt betaald; neem contact op met de aanbieder van deze chat.',
  },
  pl: {
    invalidAnswer: 'Tej odpowiedzi nie można tu użyć. Proszę spróbować ponownie.',
    invalidEmail: 'To nie wygląda na adres e-mail. Proszę wpisać go ponownie.',
    noPayment:
      'Ten czat prosi o płatność, która nie jest tu możliwa. Czat teraz się kończy i nic nie zapłacono.',
    notPaid: 'Płatność nie dotarła. Proszę spróbować ponownie.',
    paymentPending: 'Płatność jest jeszcze potwierdzana. Potem czat będzie kontynuowany.',
    paymentUnknown:
      'Nie wiadomo jeszcze, czy płatność została wykonana. Proszę spróbować ponownie za chwilę.',
    paidBefore:
      'Płatność została wykonana, ale kwota od tego czasu się zmieniła. Czat kończy się tutaj, aby nic nie zostało zapłacone dwa razy; proszę skontaktować się z dostawcą tego czatu.',
  },
  tr: {
    invalidAnswer: 'Bu yanıt burada kullanılamaz. Lütfen tekrar deneyin.',
    invalidEmail: 'Bu bir e-posta adresine benzemiyor. Lütfen tekrar yazın.',
    noPayment:
      'Bu sohbet bir ödeme istiyor, ancak burada ödeme yapılamaz. Sohbet şimdi sona eriyor ve hiçbir şey ödenmedi.',
    notPaid: 'Ödeme ulaşmadı. Lütfen tekrar deneyin.',
    paymentPending: 'Ödeme hâlâ onaylanıyor. Sohbet sonra devam edecek.',
    paymentUnknown: 'Ödemenin yapılıp yapılmadığı şu anda bilinmiyor. Lütfen birazdan tekrar deneyin.',
    paidBefore:
      'Bir ödeme yapıldı, ancak tutar o zamandan beri değişti. Hiçbir şey iki kez ödenmesin diye sohbet burada bitiyor; lütfen bu sohbetin sağlayıcısıyla iletişime geçin.',
  },
  ru: {
    invalidAnswer: 'Такой ответ здесь не подходит. Попробуйте ещё раз.',
    invalidEmail: 'Это не похоже на адрес электронной почты. Введите его ещё раз.',
    noPayment:
      'Этот чат запрашивает оплату, которая здесь невозможна. Он завершается, и ничего не было оплачено.',
    notPaid: 'Платёж не поступил. Попробуйте ещё раз.',
    paymentPending: 'Платёж ещё подтверждается. После этого чат продолжится.',
    paymentUnknown: 'Пока неизвестно, был ли выполнен платёж. Попробуйте ещё раз чуть позже.',
    paidBefore:
      'Платёж был выполнен, но сумма с тех пор изменилась. Чат завершается, чтобы ничего не было оплачено дважды; обратитесь к владельцу этого чата.',
  },
  uk: {
    invalidAnswer: 'Така відповідь тут не підходить. Спробуйте ще раз.',
    invalidEmail: 'Це не схоже на адресу електронної пошти. Введіть її ще раз.',
    noPayment: 'Цей чат запитує оплату, яка тут неможлива. Він завершується, і нічого не було сплачено.',
    notPaid: 'Платіж не надійшов. Спробуйте ще раз.',
    paymentPending: 'Платіж ще підтверджується. Після цього чат продовжиться.',
    paymentUnknown: 'Поки невідомо, чи було здійснено платіж. Спробуйте ще раз за мить.',
    paidBefore:
      'Платіж було здійснено, але сума відтоді змінилася. Чат завершується, щоб нічого не було сплачено двічі; зверніться до власника цього чату.',
  },
  ar: {
    invalidAnswer: 'لا يمكن استخدام هذه الإجابة هنا. يرجى المحاولة مرة أخرى.',
    invalidEmail: 'لا يبدو هذا عنوان بريد إلكتروني. يرجى كتابته مرة أخرى.',
    noPayment: 'تطلب هذه المحادثة الدفع، وهو غير ممكن هنا. تنتهي المحادثة الآن ولم يُدفع أي شيء.',
    notPaid: 'لم تصل الدفعة. يرجى المحاولة مرة أخرى.',
    paymentPending: 'لا تزال الدفعة قيد التأكيد. ستستمر المحادثة بعد ذلك.',
    paymentUnknown: 'لا يُعرف بعد ما إذا كان الدفع قد تم. يرجى المحاولة مرة أخرى بعد قليل.',
    paidBefore:
      'تم الدفع، لكن المبلغ تغيّر منذ ذلك الحين. تنتهي المحادثة هنا حتى لا يُدفع أي شيء مرتين؛ يرجى التواصل مع مزوّد هذه المحادثة.',
  },
  fa: {
    invalidAnswer: 'این پاسخ اینجا قابل استفاده نیست. لطفاً دوباره تلاش کنید.',
    invalidEmail: 'این شبیه نشانی ایمیل نیست. لطفاً دوباره آن را بنویسید.',
    noPayment: 'این گفتگو پرداخت می‌خواهد که اینجا ممکن نیست. گفتگو اکنون پایان می‌یابد و چیزی پرداخت نشد.',
    notPaid: 'پرداخت نرسیده است. لطفاً دوباره تلاش کنید.',
    paymentPending: 'پرداخت هنوز در حال تأیید است. پس از آن گفتگو ادامه می‌یابد.',
    paymentUnknown: 'هنوز معلوم نیست که پرداخت انجام شده است یا نه. لطفاً کمی بعد دوباره تلاش کنید.',
    paidBefore:
      'پرداختی انجام شد، اما مبلغ از آن پس تغییر کرده است. گفتگو اینجا پایان می‌یابد تا چیزی دو بار پرداخت نشود؛ لطفاً با ارائه‌دهندهٔ این گفتگو تماس بگیرید.',
  },
  he: {
    invalidAnswer: 'אי אפשר להשתמש בתשובה הזו כאן. נסו שוב.',
    invalidEmail: 'זה לא נראה כמו כתובת דוא״ל. הקלידו אותה שוב.',
    noPayment: 'הצ׳אט מבקש תשלום, וזה לא אפשרי כאן. הוא מסתיים עכשיו, ודבר לא שולם.',
    notPaid: 'התשלום לא התקבל. נסו שוב.',
    paymentPending: 'התשלום עדיין בתהליך אישור. לאחר מכן הצ׳אט ימשיך.',
    paymentUnknown: 'עדיין לא ידוע אם התשלום בוצע. נסו שוב בעוד רגע.',
    paidBefore:
      'בוצע תשלום, אך הסכום השתנה מאז. הצ׳אט מסתיים כאן כדי ששום דבר לא ישולם פעמיים; פנו לספק של הצ׳אט הזה.',
  },
  zh: {
    invalidAnswer: '此处无法使用该回答。请重试。',
    invalidEmail: '这看起来不是电子邮件地址。请重新输入。',
    noPayment: '此聊天要求付款，但这里无法付款。聊天现在结束，未支付任何费用。',
    notPaid: '付款尚未到账。请重试。',
    paymentPending: '付款仍在确认中。确认后聊天将继续。',
    paymentUnknown: '目前无法得知付款是否成功。请稍后再试。',
    paidBefore: '已完成一笔付款，但金额此后发生了变化。为避免重复付款，聊天到此结束；请联系此聊天的提供者。',
  },
  ja: {
    invalidAnswer: 'その回答はここでは使えません。もう一度お試しください。',
    invalidEmail: 'メールアドレスではないようです。もう一度入力してください。',
    noPayment:
      'このチャットは支払いを求めていますが、ここではできません。チャットを終了します。支払いは行われていません。',
    notPaid: 'お支払いが確認できませんでした。もう一度お試しください。',
    paymentPending: 'お支払いを確認中です。確認後にチャットが続きます。',
    paymentUnknown: 'お支払いが完了したかどうか、まだ分かりません。しばらくしてからもう一度お試しください。',
    paidBefore:
      'お支払いは行われましたが、その後金額が変わりました。二重のお支払いを防ぐため、チャットはここで終了します。このチャットの提供者にお問い合わせください。',
  },
  ko: {
    invalidAnswer: '여기에서는 그 답변을 사용할 수 없습니다. 다시 시도해 주세요.',
    invalidEmail: '이메일 주소가 아닌 것 같습니다. 다시 입력해 주세요.',
    noPayment:
      '이 채팅은 결제를 요청하지만 여기에서는 결제할 수 없습니다. 채팅이 지금 종료되며 결제된 것은 없습니다.',
    notPaid: '결제가 확인되지 않았습니다. 다시 시도해 주세요.',
    paymentPending: '결제를 아직 확인하고 있습니다. 확인되면 채팅이 계속됩니다.',
    paymentUnknown: '결제가 완료되었는지 아직 알 수 없습니다. 잠시 후 다시 시도해 주세요.',
    paidBefore:
      '결제가 이루어졌지만 그 후 금액이 변경되었습니다. 이중 결제를 막기 위해 채팅을 여기서 종료합니다. 이 채팅의 제공자에게 문의해 주세요.',
  },
  id: {
    invalidAnswer: 'Jawaban itu tidak dapat digunakan di sini. Silakan coba lagi.',
    invalidEmail: 'Itu tidak tampak seperti alamat email. Silakan ketik lagi.',
    noPayment:
      'Obrolan ini meminta pembayaran, yang tidak dapat dilakukan di sini. Obrolan berakhir sekarang, dan tidak ada yang dibayar.',
    notPaid: 'Pembayaran belum masuk. Silakan coba lagi.',
    paymentPending: 'Pembayaran masih dikonfirmasi. Setelah itu obrolan berlanjut.',
    paymentUnknown: 'Belum diketahui apakah pembayaran sudah dilakukan. Silakan coba lagi sebentar lagi.',
    paidBefore:
      'Pembayaran sudah dilakukan, tetapi jumlahnya telah berubah sejak itu. Obrolan berakhir di sini agar tidak ada yang dibayar dua kali; silakan hubungi penyedia obrolan ini.',
  },
}
