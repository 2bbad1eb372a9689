/** Sentences that the service itself says in a chat, in the languages of the chat page. */
interface Sentences {
  invalidAnswer: string
  invalidEmail: string
  noPayment: string
}

export const sentences: Record<string, Sentences> = {
  en: {
    invalidAnswer: 'That answer cannot be used here. Please try again.',
    invalidEmail: 'That does not look like an e-mail address. Please type it again.',
    noPayment: 'This chat asks for a payment, which is not possible here. It ends now, and nothing was paid.',
  },
  de: {
    invalidAnswer: 'Diese Antwort passt hier nicht. Bitte versuchen Sie es noch einmal.',
    invalidEmail: 'Das sieht nicht wie eine E-Mail-Adresse aus. Bitte geben Sie sie noch einmal ein.',
    noPayment:
      'Dieser Chat fragt nach einer Zahlung, die hier nicht möglich ist. Er endet jetzt, und es wurde nichts bezahlt.',
  },
  fr: {
    invalidAnswer: 'Cette réponse ne convient pas ici. Veuillez réessayer.',
    invalidEmail: 'Cela ne ressemble pas à une adresse e-mail. Veuillez la saisir à nouveau.',
    noPayment:
      'Ce chat demande un paiement, ce qui n’est pas possible ici. Il se termine maintenant, et rien n’a été payé.',
  },
  es: {
    invalidAnswer: 'Esa respuesta no se puede usar aquí. Inténtelo de nuevo.',
    invalidEmail: 'Eso no parece una dirección de correo electrónico. Escríbala de nuevo.',
    noPayment: 'Este chat pide un pago, lo que aquí no es posible. Termina ahora y no se ha pagado nada.',
  },
  it: {
    invalidAnswer: 'Questa risposta non può essere usata qui. Riprovi.',
    invalidEmail: 'Non sembra un indirizzo e-mail. Lo scriva di nuovo.',
    noPayment:
      'Questa chat chiede un pagamento, che qui non è possibile. Termina ora e non è stato pagato nulla.',
  },
  pt: {
    invalidAnswer: 'Essa resposta não pode ser usada aqui. Tente novamente.',
    invalidEmail: 'Isso não parece um endereço de e-mail. Digite-o novamente.',
    noPayment: 'Este chat pede um pagamento, o que não é possível aqui. Ele termina agora, e nada foi pago.',
  },
  nl: {
    invalidAnswer: 'Dat antwoord kan hier niet worden gebruikt. Probeer het opnieuw.',
    invalidEmail: 'Dat lijkt geen e-mailadres te zijn. Typ het opnieuw.',
    noPayment:
      'Deze chat vraagt om een betaling, wat hier niet mogelijk is. De chat stopt nu en er is niets betaald.',
  },
  pl: {
    invalidAnswer: 'Tej odpowiedzi nie można tu użyć. Proszę spróbować ponownie.',
    invalidEmail: 'To nie wygląda na adres e-mail. Proszę wpisać go ponownie.',
    noPayment:
      'Ten czat prosi o płatność, która nie jest tu możliwa. Czat teraz się kończy i nic nie zapłacono.',
  },
  tr: {
    invalidAnswer: 'Bu yanıt burada kullanılamaz. Lütfen tekrar deneyin.',
    invalidEmail: 'Bu bir e-posta adresine benzemiyor. Lütfen tekrar yazın.',
    noPayment:
      'Bu sohbet bir ödeme istiyor, ancak burada ödeme yapılamaz. Sohbet şimdi sona eriyor ve hiçbir şey ödenmedi.',
  },
  ru: {
    invalidAnswer: 'Такой ответ здесь не подходит. Попробуйте ещё раз.',
    invalidEmail: 'Это не похоже на адрес электронной почты. Введите его ещё раз.',
    noPayment:
      'Этот чат запрашивает оплату, которая здесь невозможна. Он завершается, и ничего не было оплачено.',
  },
  uk: {
    invalidAnswer: 'Така відповідь тут не підходить. Спробуйте ще раз.',
    invalidEmail: 'Це не схоже на адресу електронної пошти. Введіть її ще раз.',
    noPayment: 'Цей чат запитує оплату, яка тут неможлива. Він завершується, і нічого не було сплачено.',
  },
  ar: {
    invalidAnswer: 'لا يمكن استخدام هذه الإجابة هنا. يرجى المحاولة مرة أخرى.',
    invalidEmail: 'لا يبدو هذا عنوان بريد إلكتروني. يرجى كتابته مرة أخرى.',
    noPayment: 'تطلب هذه المحادثة الدفع، وهو غير ممكن هنا. تنتهي المحادثة الآن ولم يُدفع أي شيء.',
  },
  fa: {
    invalidAnswer: 'این پاسخ اینجا قابل استفاده نیست. لطفاً دوباره تلاش کنید.',
    invalidEmail: 'این شبیه نشانی ایمیل نیست. لطفاً دوباره آن را بنویسید.',
    noPayment: 'این گفتگو پرداخت می‌خواهد که اینجا ممکن نیست. گفتگو اکنون پایان می‌یابد و چیزی پرداخت نشد.',
  },
  he: {
    invalidAnswer: 'אי אפשר להשתמש בתשובה הזו כאן. נסו שוב.',
    invalidEmail: 'זה לא נראה כמו כתובת דוא״ל. הקלידו אותה שוב.',
    noPayment: 'הצ׳אט מבקש תשלום, וזה לא אפשרי כאן. הוא מסתיים עכשיו, ודבר לא שולם.',
  },
  zh: {
    invalidAnswer: '此处无法使用该回答。请重试。',
    invalidEmail: '这看起来不是电子邮件地址。请重新输入。',
    noPayment: '此聊天要求付款，但这里无法付款。聊天现在结束，未支付任何费用。',
  },
  ja: {
    invalidAnswer: 'その回答はここでは使えません。もう一度お試しください。',
    invalidEmail: 'メールアドレスではないようです。もう一度入力してください。',
    noPayment:
      'このチャットは支払いを求めていますが、ここではできません。チャットを終了します。支払いは行われていません。',
  },
  ko: {
    invalidAnswer: '여기에서는 그 답변을 사용할 수 없습니다. 다시 시도해 주세요.',
    invalidEmail: '이메일 주소가 아닌 것 같습니다. 다시 입력해 주세요.',
    noPayment:
      '이 채팅은 결제를 요청하지만 여기에서는 결제할 수 없습니다. 채팅이 지금 종료되며 결제된 것은 없습니다.',
  },
  id: {
    invalidAnswer: 'Jawaban itu tidak dapat digunakan di sini. Silakan coba lagi.',
    invalidEmail: 'Itu tidak tampak seperti alamat email. Silakan ketik lagi.',
    noPayment:
      'Obrolan ini meminta pembayaran, yang tidak dapat dilakukan di sini. Obrolan berakhir sekarang, dan tidak ada yang dibayar.',
  },
}
